#pragma once
// The one family of exceptions that audio/ and core/ throw. Every message is one line that names
// the thing at fault and what would be right; it is shown to users as it is.
#include <stdexcept>
#include <string>

namespace earscope {

/// Base of everything Earscope throws on purpose.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A snapshot that is missing, damaged, of another family, or asks for something unsupported.
class SnapshotError : public Error {
public:
    using Error::Error;
};

/// A request the contract refuses: markers, control tokens, counts, budget, layers, module names.
class RequestError : public Error {
public:
    using Error::Error;
};

/// A sound file or waveform that cannot be given to a model.
class AudioError : public Error {
public:
    using Error::Error;
};

/// A second call on a session that is still running one.
class BusyError : public Error {
public:
    using Error::Error;
};

/// A device that is absent, out of memory or lost.
class DeviceError : public Error {
public:
    using Error::Error;
};

/// A file that could not be written (space, permission, name); nothing half-written stays behind.
class ExportError : public Error {
public:
    using Error::Error;
};

/// The caller's stop token was triggered.
class Cancelled : public Error {
public:
    Cancelled() : Error("cancelled") {}
};

}  // namespace earscope
