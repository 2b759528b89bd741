//! Listeners, hosted services and the life of a request.
