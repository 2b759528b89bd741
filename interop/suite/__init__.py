"""The cases of the interop suite and what they stand on."""
