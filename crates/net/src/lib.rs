//! Sockets and HTTP for bartizan. No SOAP in here.
