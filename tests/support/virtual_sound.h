#pragma once
// Main function of tests with real sound: the test runs itself again beside the software sound card
// of virtual_mic.sh, so that it needs no hardware and behaves the same when started by hand.
#include <QCoreApplication>
#include <QTest>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

namespace earscope::test {

/// @param no_sound  run where no sound system can be reached
template <typename TestObject>
int runBesideVirtualSound(int argc, char** argv, bool no_sound) {
    constexpr const char* kMark = "EARSCOPE_TEST_SOUND";
    if (std::getenv(kMark) == nullptr) {
        ::setenv(kMark, no_sound ? "none" : "virtual", 1);
        std::string script = EARSCOPE_FIXTURES "/../support/virtual_mic.sh";
        std::string none = "--none";
        std::vector<char*> arguments{script.data()};
        if (no_sound) {
            arguments.push_back(none.data());
        }
        arguments.insert(arguments.end(), argv, argv + argc);
        arguments.push_back(nullptr);
        ::execv(script.c_str(), arguments.data());
        std::perror(script.c_str());
        return 1;
    }
    QCoreApplication app(argc, argv);
    TestObject test;
    return QTest::qExec(&test, argc, argv);
}

}  // namespace earscope::test
