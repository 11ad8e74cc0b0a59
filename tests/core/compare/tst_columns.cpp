// Records and columns from real runs: what `generate` gives, weights known by their files and by
// what they hold, and nothing of a model left when its column is done.
#include "core/compare/column.h"
#include "core/compare/comparison.h"
#include "core/compare/weights_digest.h"
#include "core/models/sampler.h"
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace earscope;
using namespace earscope::testing;

namespace {

std::filesystem::path moss_folder() {
    return std::filesystem::path(EARSCOPE_FIXTURES) / "moss-tiny/snapshot";
}

std::shared_ptr<Session> load(const std::filesystem::path& folder) {
    LoadOptions options;
    options.device = "cpu";
    options.dtype = at::kFloat;
    return load_model(folder, options);
}

ColumnOptions column_options(Profile profile, std::int64_t budget = 8) {
    ColumnOptions options;
    options.generate.profile = profile;
    options.generate.max_new_tokens = budget;
    return options;
}

/// Names of the weight files that this process holds mapped.
int mappings_of(const std::filesystem::path& folder) {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);) {
        count += line.find(folder.string()) != std::string::npos ? 1 : 0;
    }
    return count;
}

std::filesystem::path copy_of(const std::filesystem::path& snapshot, const QTemporaryDir& folder,
                              const char* name) {
    const std::filesystem::path copy = std::filesystem::path(folder.path().toStdString()) / name;
    std::filesystem::copy(snapshot, copy, std::filesystem::copy_options::recursive);
    return copy;
}

/// The part of a digest that says how much was read, "" when nothing was.
std::string contents(const std::string& digest) {
    const auto second = digest.find('/', digest.find('/') + 1);
    return second == std::string::npos ? "" : digest.substr(second + 1);
}

bool same_weights(const std::pair<std::string, std::string>& digests) {
    RunRecord a;
    RunRecord b;
    a.weights_digest = digests.first;
    b.weights_digest = digests.second;
    return compare_runs(a, b).same_weights;
}

}  // namespace

class TestColumns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { session_ = load_tiny(); }

    void runColumn_recordsWhatGenerateGives() {
        const Request one{"Describe the track.", {clip("stereo44.wav"), clip("mono11.wav")}};
        const Request two{"Why?", {}};
        const PreparedBatch batch = session_->prepare({one, two});
        for (const Profile profile : {Profile::PaperReference, Profile::GenericSampled}) {
            ColumnOptions options = column_options(profile);
            options.notes = {"l/f", {"lm_head=scale:1"}};
            const GenerateResult wanted = session_->generate({one, two}, options.generate);
            const Column column = run_column(*session_, batch, options);
            QCOMPARE(column.runs.size(), std::size_t{2});
            for (std::size_t i = 0; i < 2; ++i) {
                const RunRecord& run = column.runs[i];
                QCOMPARE(run.text, wanted.texts[i]);
                std::vector<std::int64_t> ids;
                for (const RunToken& token : run.tokens) {
                    ids.push_back(token.id);
                    QCOMPARE(token.piece,
                             session_->processor().tokenizer.decode({token.id}, false));
                }
                QCOMPARE(ids, wanted.ids[i]);
                QCOMPARE(run.batch_size, 2);
                QCOMPARE(run.batch_index, static_cast<std::int64_t>(i));
                QCOMPARE(run.profile, std::string(profile_name(profile)));
                QCOMPARE(run.edits.size(), std::size_t{1});
                QCOMPARE(run.prompt_width, wanted.prompt_width);
                QCOMPARE(static_cast<std::int64_t>(run.input_ids.size()), batch.prompt_tokens[i]);
            }
            QCOMPARE(column.runs[0].sources.size(), std::size_t{2});
            QVERIFY(column.runs[1].sources.empty());
            QVERIFY(column.runs[0].sources[0].digest != column.runs[0].sources[1].digest);
            QVERIFY(column.states.embeddings.empty());
        }
        // The same ids as the request alone, where no padding stands in front.
        const PreparedBatch alone = session_->prepare({two});
        const Column single = run_column(*session_, alone, column_options(Profile::PaperReference));
        const Column both = run_column(*session_, batch, column_options(Profile::PaperReference));
        QCOMPARE(single.runs[0].input_ids, both.runs[1].input_ids);
    }

    void runColumn_changedCopy_isNamedAndUsed() {
        const PreparedBatch batch = session_->prepare({{"Why?", {}}});
        ColumnOptions options = column_options(Profile::GenericSampled);
        options.generate.parameters = SamplingParameters{true, 1.5, 0.8, 7, 99};
        options.generate.seed = 11;
        const RunRecord run = run_column(*session_, batch, options).runs[0];
        QCOMPARE(run.profile, std::string("generic_sampled (changed)"));
        QCOMPARE(run.temperature, 1.5);
        QCOMPARE(run.top_p, 0.8);
        QCOMPARE(run.top_k, 7);
        QCOMPARE(run.seed, std::uint64_t{11});
        QCOMPARE(run.max_new_tokens, 8);  // the option wins over the copy, as in generate
    }

    void sampling_nonsense_isRefused() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const SamplingParameters& bad :
             {SamplingParameters{true, 0, 1, 0, 8}, SamplingParameters{true, -1, 1, 0, 8},
              SamplingParameters{true, nan, 1, 0, 8}, SamplingParameters{true, 1, 0, 0, 8},
              SamplingParameters{true, 1, 1.1, 0, 8}, SamplingParameters{true, 1, nan, 0, 8},
              SamplingParameters{true, 1, 1, -1, 8}}) {
            QVERIFY_EXCEPTION_THROWN(check_sampling(bad), RequestError);
            GenerateOptions options;
            options.parameters = bad;
            QVERIFY_EXCEPTION_THROWN(session_->generate({{"Why?", {}}}, options), RequestError);
        }
    }

    void sameSound_inOtherFiles_isTheSameAudio() {
        const auto run = [&](const AudioSource& source) {
            const PreparedBatch batch = session_->prepare({{"x", {source}}});
            return run_column(*session_, batch, column_options(Profile::PaperReference, 1)).runs[0];
        };
        const RunRecord file = run(clip("float16k.wav"));
        const PreparedBatch batch = session_->prepare({{"x", {clip("float16k.wav")}}});
        const float* samples = batch.resampled[0].const_data_ptr<float>();
        const RunRecord wave =
            run(Waveform{{samples, samples + batch.resampled[0].numel()}, 16'000});
        QVERIFY(compare_runs(file, wave).same_audio);
        QVERIFY(!compare_runs(file, run(clip("mono11.wav"))).same_audio);
    }

    void bothFamilies_oneAfterTheOther_oneModelAtATime() {
        const QTemporaryDir folder;
        const auto first = copy_of(tiny_folder() / "snapshot", folder, "first");
        std::shared_ptr<Session> session = load(first);
        const std::weak_ptr<Session> gone = session;
        const Request request{"Describe the track.", {clip("stereo44.wav")}};
        ColumnOptions options = column_options(Profile::PaperReference);
        options.states = true;
        options.layers = {0, -1};
        PreparedBatch batch = session->prepare({request});
        const at::Tensor projected = session->extract_audio_embeddings(batch)[0].projected.clone();
        const at::Tensor hidden =
            session->extract_contextual_embeddings(batch, {-1})[0].at(-1).clone();
        QVERIFY(mappings_of(first) > 0);
        const Column a = run_column(*session, batch, options);
        batch = {};
        session.reset();
        QVERIFY(gone.expired());
        QCOMPARE(mappings_of(first), 0);  // the column keeps no weight and no view of one

        session = load(moss_folder());
        const Column b = run_column(*session, session->prepare({request}), options);
        QVERIFY(close("projected", a.states.embeddings[0].projected, projected, 0));
        QVERIFY(close("hidden", a.states.hidden[0].at(-1), hidden, 0));
        QCOMPARE(b.states.embeddings[0].deepstack_projected.size(), std::size_t{3});
        const Comparison comparison = compare_runs(a.runs[0], b.runs[0]);
        QVERIFY(comparison.same_audio);
        QVERIFY(!comparison.same_input_ids);
        QVERIFY(comparison.first_divergence.has_value());
    }

    void layersThere_keepsThoseOfTheModelAsAsked() {
        QCOMPARE(layers_there({0, -1, 4, 5, -5, -6, 0}, 4),
                 (std::vector<std::int64_t>{0, -1, 4, -5}));
    }

    void weights_sameFilesThroughLinks_areKnownWithoutReading() {
        const QTemporaryDir folder;
        const std::filesystem::path link =
            std::filesystem::path(folder.path().toStdString()) / "link";
        std::filesystem::create_directory_symlink(tiny_folder() / "snapshot", link);
        const auto digests =
            weights_digests(open_snapshot(tiny_folder() / "snapshot"), open_snapshot(link));
        QCOMPARE(digests.first, digests.second);
        QVERIFY(contents(digests.first).empty());
    }

    void weights_otherLayouts_areOtherWithoutReading() {
        const auto digests = weights_digests(open_snapshot(tiny_folder() / "snapshot"),
                                             open_snapshot(moss_folder()));
        QVERIFY(!same_weights(digests));
        QVERIFY(contents(digests.first).empty());
    }

    void weights_copies_areReadOnceAndWhole() {
        const QTemporaryDir folder;
        const Snapshot a = open_snapshot(tiny_folder() / "snapshot");
        const Snapshot b = open_snapshot(copy_of(a.folder, folder, "copy"));
        std::int64_t last = 0;
        const auto digests = weights_digests(a, b, {}, [&](const Progress& progress) {
            QVERIFY(progress.done > last);
            last = progress.done;
            QVERIFY(progress.done <= progress.total);
        });
        QVERIFY(contents(digests.first).starts_with("all-"));
        QVERIFY(same_weights(digests));
        QCOMPARE(last, 2 * a.weight_bytes);
    }

    void weights_oneByteApart_areOtherAndReadToThere() {
        const QTemporaryDir folder;
        const Snapshot a = open_snapshot(tiny_folder() / "snapshot");
        const auto copy = copy_of(a.folder, folder, "copy");
        // The first tensor by name, wherever it lies in its file.
        const std::string name = a.tensors.begin()->first;
        const SafetensorsFile& shard = a.shards[a.shard_of.at(name)];
        std::int64_t offset = static_cast<std::int64_t>(std::filesystem::file_size(shard.path()));
        const std::byte* end = nullptr;
        for (const auto& [other, view] : shard.tensors()) {
            end = std::max(end, view.data + view.bytes);
        }
        offset -= end - a.tensors.begin()->second.data;
        {
            std::fstream file(copy / shard.path().filename(),
                              std::ios::in | std::ios::out | std::ios::binary);
            file.seekg(offset);
            const char old = static_cast<char>(file.get());
            file.seekp(offset);
            file.put(static_cast<char>(old ^ 1));
            QVERIFY(file.good());
        }
        const auto digests = weights_digests(a, open_snapshot(copy));
        QVERIFY(contents(digests.first).starts_with("1-"));
        QVERIFY(!same_weights(digests));
    }

    void weights_comparing_canBeCancelled() {
        const QTemporaryDir folder;
        const Snapshot a = open_snapshot(tiny_folder() / "snapshot");
        const Snapshot b = open_snapshot(copy_of(a.folder, folder, "copy"));
        std::stop_source stop;
        QVERIFY_EXCEPTION_THROWN(
            weights_digests(a, b, stop.get_token(), [&](const Progress&) { stop.request_stop(); }),
            Cancelled);
    }

private:
    std::shared_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(TestColumns)
#include "tst_columns.moc"
