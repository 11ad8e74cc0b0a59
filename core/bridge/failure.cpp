#include "core/bridge/failure.h"

#include <c10/util/Exception.h>

#include <new>

namespace earscope {
namespace {

Failure failureOf(FailureKind kind, const std::exception& error) {
    return {kind, QString::fromUtf8(error.what())};
}

}  // namespace

Failure describeFailure(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const SnapshotError& e) {
        return failureOf(FailureKind::Snapshot, e);
    } catch (const RequestError& e) {
        return failureOf(FailureKind::Request, e);
    } catch (const AudioError& e) {
        return failureOf(FailureKind::Audio, e);
    } catch (const BusyError& e) {
        return failureOf(FailureKind::Busy, e);
    } catch (const DeviceError& e) {
        return failureOf(FailureKind::Device, e);
    } catch (const ExportError& e) {
        return failureOf(FailureKind::Export, e);
    } catch (const std::bad_alloc&) {
        return {FailureKind::Device, QStringLiteral("not enough memory")};
    } catch (const c10::OutOfMemoryError& e) {
        return {FailureKind::Device, QString::fromUtf8(e.what_without_backtrace())};
    } catch (const c10::Error& e) {
        return {FailureKind::Internal, QString::fromUtf8(e.what_without_backtrace())};
    } catch (const std::exception& e) {
        return failureOf(FailureKind::Internal, e);
    } catch (...) {
        return {FailureKind::Internal, QStringLiteral("unknown error")};
    }
}

}  // namespace earscope
