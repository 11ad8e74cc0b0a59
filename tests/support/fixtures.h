#pragma once
#include "core/formats/safetensors.h"

#include <QFile>
#include <QJsonDocument>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace earscope::test {

inline std::filesystem::path fixture(const std::string& name) {
    return std::filesystem::path(EARSCOPE_FIXTURES) / name;
}

/// The project's own part of a fixture set, and the whole set where the shared fixtures are there.
inline std::vector<std::filesystem::path> fixtureFolders(const std::string& own,
                                                         const std::string& shared) {
    std::vector<std::filesystem::path> folders{fixture(own)};
    if (const auto whole = std::filesystem::path(EARSCOPE_SHARED_FIXTURES) / shared;
        std::filesystem::is_directory(whole)) {
        folders.push_back(whole);
    } else {
        qInfo("the whole set %s is not here; the project's own part was run", shared.c_str());
    }
    return folders;
}

/// A float32 tensor of a fixture file; throws when it is not there.
inline std::vector<float> floats(const SafetensorsFile& file, const std::string& name) {
    const TensorView& view = file.tensors().at(name);
    if (view.dtype != DType::F32) {
        throw std::runtime_error(name + " is not float32");
    }
    std::vector<float> values(view.bytes / sizeof(float));
    if (!values.empty()) {
        std::memcpy(values.data(), view.data, view.bytes);
    }
    return values;
}

/// Throws when the file is missing or not JSON.
inline QJsonDocument readJson(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::runtime_error("missing fixture " + path.string());
    }
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    if (document.isNull()) {
        throw std::runtime_error("not JSON: " + path.string());
    }
    return document;
}

}  // namespace earscope::test
