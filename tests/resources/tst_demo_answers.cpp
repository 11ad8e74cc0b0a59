#include "core/instruments/edits.h"
#include "core/models/model.h"
#include "core/session.h"
#include "resources/demo_paths.h"
#include "tests/resources/simple_music.h"

#include <QTest>

#include <map>

using namespace earscope;
using earscope::test::Asked;

namespace {

constexpr const char* kFamilies[] = {"music-flamingo", "moss-music"};

/// What the cards promise.
constexpr const char* kTasks[] = {
    "pitch",  "timbre",    "silence", "source pitch", "source timbre", "order",        "higher",
    "louder", "direction", "count",   "tempo",        "when",          "second window"};

/// Share of the questions answered to the letter.
double accuracy(Session& session, const std::vector<Asked>& asked) {
    constexpr std::size_t kTogether = 12;
    GenerateOptions options;
    options.max_new_tokens = 6;
    std::size_t right = 0;
    for (std::size_t first = 0; first < asked.size(); first += kTogether) {
        std::vector<Request> requests;
        const std::size_t last = std::min(asked.size(), first + kTogether);
        for (std::size_t i = first; i < last; ++i) {
            requests.push_back(asked[i].request);
        }
        const GenerateResult result = session.generate(requests, options);
        for (std::size_t i = first; i < last; ++i) {
            right += result.texts[i - first] == asked[i].answer ? 1 : 0;
        }
    }
    return static_cast<double>(right) / static_cast<double>(asked.size());
}

}  // namespace

/// The demonstration models answer simple questions about sounds rendered here, and cannot once
/// their projector is silenced: they listen.
class TestDemoAnswers : public QObject {
    Q_OBJECT

private:
    std::map<std::string, std::shared_ptr<Session>> sessions_;

    static void rows() {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("task");
        for (const char* family : kFamilies) {
            for (const char* task : kTasks) {
                QTest::addRow("%s, %s", family, task)
                    << QString::fromLatin1(family) << QString::fromLatin1(task);
            }
        }
    }

private Q_SLOTS:
    void initTestCase() {
        for (const char* family : kFamilies) {
            sessions_[family] =
                load_model(demo_folder() / family,
                           {.device = "cpu", .dtype = at::kFloat, .stop = {}, .progress = {}});
        }
    }

    void generate_simpleQuestions_answersAreRight_data() { rows(); }

    void generate_simpleQuestions_answersAreRight() {
        QFETCH(QString, family);
        QFETCH(QString, task);
        const std::vector<Asked> asked = test::questions(task.toStdString());
        const double right = accuracy(*sessions_.at(family.toStdString()), asked);
        qInfo("%.0f %% of %zu right, best constant answer %.0f %%", 100 * right, asked.size(),
              100 * test::best_constant(asked));
        QVERIFY(right >= 0.8);
    }

    void generate_projectorZeroed_noBetterThanOneConstantAnswer_data() { rows(); }

    void generate_projectorZeroed_noBetterThanOneConstantAnswer() {
        QFETCH(QString, family);
        QFETCH(QString, task);
        Session& session = *sessions_.at(family.toStdString());
        std::vector<Edit> edits;
        if (family == QLatin1String("music-flamingo")) {
            edits.push_back(parse_edit("model.multi_modal_projector=zero"));
        } else {
            edits.push_back(parse_edit("audio_adapter=zero"));
            for (const char* path : {"0", "1", "2"}) {
                edits.push_back(
                    parse_edit(std::string("deepstack_audio_merger_list.") + path + "=zero"));
            }
        }
        const EditSet active(session.model(), edits);
        const std::vector<Asked> asked = test::questions(task.toStdString());
        const double right = accuracy(session, asked);
        qInfo("%.0f %% right, best constant answer %.0f %%", 100 * right,
              100 * test::best_constant(asked));
        QVERIFY(right <= test::best_constant(asked) + 0.10);
    }
};

QTEST_GUILESS_MAIN(TestDemoAnswers)
#include "tst_demo_answers.moc"
