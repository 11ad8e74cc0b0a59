#include "core/bridge/value_conversion.h"
#include "tests/bridge/support.h"

#include <ATen/ATen.h>

using namespace earscope;

namespace {

const Processor& tinyProcessor() {
    static const Processor processor = [] {
        Processor made{Tokenizer::from_folder(toPath(tinySnapshot())), 0, 0, 0, {}, 0};
        made.audio_token_id = *made.tokenizer.id_of("<sound>");
        made.audio_begin_id = *made.tokenizer.id_of("<|sound_bos|>");
        made.audio_end_id = *made.tokenizer.id_of("<|sound_eos|>");
        return made;
    }();
    return processor;
}

/// A batch of one row: `padding` pad ids, then the ids of `text`, in which each run of <sound> is a
/// source's tokens. `digits` runs belong to one source as long as its span is open.
PreparedBatch batchOf(const std::string& text, int padding) {
    const Processor& processor = tinyProcessor();
    std::vector<std::int64_t> ids(static_cast<std::size_t>(padding), 0);
    const auto encoded = processor.tokenizer.encode(text);
    ids.insert(ids.end(), encoded.begin(), encoded.end());
    PreparedBatch batch;
    std::vector<std::int64_t> positions;
    for (std::size_t p = 0; p < ids.size(); ++p) {
        if (ids[p] == processor.audio_token_id) {
            positions.push_back(static_cast<std::int64_t>(p));
        } else if (ids[p] == processor.audio_end_id) {
            AudioSlot slot;
            slot.token_count = static_cast<std::int64_t>(positions.size());
            slot.token_positions = at::tensor(positions, at::kLong);
            slot.seconds_per_token = 0.25;
            slot.time_s = at::arange(slot.token_count, at::kFloat) * 0.25;
            batch.slots.push_back(std::move(slot));
            positions.clear();
        }
    }
    const auto width = static_cast<std::int64_t>(ids.size());
    batch.inputs.input_ids = at::tensor(ids, at::kLong).unsqueeze(0);
    batch.inputs.attention_mask = (at::arange(width) >= padding).to(at::kLong).unsqueeze(0);
    return batch;
}

/// P S T A D B: one letter per row.
std::string classesOf(const std::vector<TokenValue>& rows) {
    std::string letters;
    for (const TokenValue& row : rows) {
        letters += "STADBPG"[static_cast<std::size_t>(row.tokenClass)];
    }
    return letters;
}

std::string runs(const std::string& letters) {
    std::string result;
    for (const char c : letters) {
        if (result.empty() || result.back() != c) {
            result += c;
        }
    }
    return result;
}

const std::string kSystem = "<|im_start|>system\nHear.<|im_end|>\n";
const std::string kUserBegin = "<|im_start|>user\n";
const std::string kUserEnd = "<|im_end|>\n<|im_start|>assistant\n";
const std::string kSpan = "<|sound_bos|><sound><sound><sound><|sound_eos|>";

}  // namespace

class TestTokenRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void promptRows_twoSources_classifiesEveryPosition() {
        const auto batch = batchOf(
            kSystem + kUserBegin + "A " + kSpan + " and " + kSpan + "\nWhich?" + kUserEnd, 2);
        const auto rows = promptRows(batch, tinyProcessor());
        QCOMPARE(static_cast<std::int64_t>(rows.size()), batch.inputs.input_ids.size(1));
        QCOMPARE(runs(classesOf(rows)), std::string("PSTBABTBABT"));
        for (std::size_t p = 0; p < rows.size(); ++p) {
            QCOMPARE(rows[p].position, static_cast<int>(p));
            QCOMPARE(rows[p].id,
                     batch.inputs.input_ids[0][static_cast<std::int64_t>(p)].item<std::int64_t>());
        }
    }

    void promptRows_audioTokens_carrySourceRowAndSeconds() {
        const auto batch = batchOf(kSystem + kUserBegin + kSpan + "x" + kSpan + kUserEnd, 0);
        const auto rows = promptRows(batch, tinyProcessor());
        int seen = 0;
        for (const TokenValue& row : rows) {
            if (row.tokenClass == TokenClass::Audio) {
                QCOMPARE(row.source, seen / 3);
                QCOMPARE(row.slotRow, seen % 3);
                QCOMPARE(row.startSeconds, 0.25 * (seen % 3));
                QCOMPARE(row.endSeconds, 0.25 * (seen % 3) + 0.25);
                ++seen;
            } else if (row.tokenClass == TokenClass::Boundary) {
                QCOMPARE(row.source,
                         seen < 3 || (seen == 3 && row.id == tinyProcessor().audio_end_id) ? 0 : 1);
                QCOMPARE(row.startSeconds, -1.0);
            } else {
                QCOMPARE(row.source, -1);
            }
        }
        QCOMPARE(seen, 6);
    }

    void promptRows_digitsBetweenAudioTokens_areTimeDigitsOfTheSource() {
        const auto batch =
            batchOf(kSystem + kUserBegin +
                        "12 <|sound_bos|><sound><sound>2<sound>4<|sound_eos|> 34" + kUserEnd,
                    0);
        const auto rows = promptRows(batch, tinyProcessor());
        QCOMPARE(runs(classesOf(rows)), std::string("STBADADBT"));
        for (const TokenValue& row : rows) {
            if (row.tokenClass == TokenClass::TimeDigit) {
                QCOMPARE(row.source, 0);
            }
        }
    }

    void promptRows_withoutATurn_isAllText() {
        const auto rows = promptRows(batchOf("plain words", 0), tinyProcessor());
        QCOMPARE(runs(classesOf(rows)), std::string("T"));
    }

    void promptRows_wordsOfTheTemplateInTheText_doNotMoveTheTurn() {
        const auto batch =
            batchOf(kSystem + kUserBegin + "system user\nassistant user" + kUserEnd, 0);
        const auto rows = promptRows(batch, tinyProcessor());
        const auto system = tinyProcessor().tokenizer.encode(kSystem).size();
        QCOMPARE(classesOf(rows),
                 std::string(system, 'S') + std::string(rows.size() - system, 'T'));
    }

    void promptRows_pieces_showControlCharacters() {
        const auto rows = promptRows(batchOf("a\nb", 0), tinyProcessor());
        QString joined;
        for (const TokenValue& row : rows) {
            joined += row.piece;
        }
        QCOMPARE(joined, QString::fromUtf8("a\u240ab"));
    }

    void withVisibleControls_invisibleCharacters_areSpelt() {
        QCOMPARE(withVisibleControls(QString::fromUtf8("\t \x7f\u0085\u200b\u2028 ü 音 🎵")),
                 QString::fromUtf8("\u2409 \u2421[U+0085][U+200B][U+2028] ü 音 🎵"));
    }

    void generatedRows_positions_continueThePrompt() {
        const auto ids = tinyProcessor().tokenizer.encode("one two");
        const auto rows = generatedRows(ids, 40, tinyProcessor().tokenizer);
        QCOMPARE(rows.size(), ids.size());
        QCOMPARE(rows.front().position, 40);
        QCOMPARE(rows.back().position, 39 + static_cast<int>(ids.size()));
        QCOMPARE(rows.back().id, static_cast<qint64>(ids.back()));
        QVERIFY(rows.back().tokenClass == TokenClass::Generated);
    }

    void toTensorValue_anyLayout_isRowMajorFloat() {
        const at::Tensor tensor = at::arange(6, at::kDouble).reshape({2, 3}).t().to(at::kBFloat16);
        const TensorValue value = toTensorValue(tensor);
        QCOMPARE(value.shape, (std::vector<qint64>{3, 2}));
        QCOMPARE(*value.data, (std::vector<float>{0, 3, 1, 4, 2, 5}));
        QCOMPARE(value.at(2, 1), 5.0F);
        QVERIFY(toTensorValue({}).isEmpty());
    }

    void sourceMel_musicFlamingo_joinsTheValidFramesOfItsWindows() {
        PreparedBatch batch;
        // Window w, bin b, frame f holds 100 w + 10 b + f.
        batch.inputs.mel = (at::arange(3).view({3, 1, 1}) * 100 +
                            at::arange(2).view({1, 2, 1}) * 10 + at::arange(4).view({1, 1, 4}))
                               .to(at::kFloat);
        batch.slots.resize(2);
        batch.slots[0].windows = 1;
        batch.slots[0].window_frames = {3};
        batch.slots[1].windows = 2;
        batch.slots[1].window_frames = {4, 2};
        QCOMPARE(*sourceMel(batch, 0).data, (std::vector<float>{0, 1, 2, 10, 11, 12}));
        const TensorValue second = sourceMel(batch, 1);
        QCOMPARE(second.shape, (std::vector<qint64>{2, 6}));
        QCOMPARE(*second.data, (std::vector<float>{100, 101, 102, 103, 200, 201,  //
                                                   110, 111, 112, 113, 210, 211}));
    }

    void sourceMel_moss_takesTheLengthOfEachRow() {
        PreparedBatch batch;
        batch.inputs.mel = at::arange(12, at::kFloat).view({2, 2, 3});
        batch.inputs.feature_lengths = at::tensor({3, 2}, at::kLong);
        batch.slots.resize(2);
        QCOMPARE(*sourceMel(batch, 0).data, (std::vector<float>{0, 1, 2, 3, 4, 5}));
        QCOMPARE(*sourceMel(batch, 1).data, (std::vector<float>{6, 7, 9, 10}));
        QVERIFY(sourceMel(PreparedBatch{}, 0).isEmpty());
    }

    void toLoadOptions_unknownNames_throwRequestError() {
        LoadJob job;
        job.dtype = QStringLiteral("int8");
        QVERIFY_EXCEPTION_THROWN(toLoadOptions(job), RequestError);
        job.dtype = QStringLiteral("bfloat16");
        QVERIFY(toLoadOptions(job).dtype == at::kBFloat16);
        job.attention = QStringLiteral("flash");
        QVERIFY_EXCEPTION_THROWN(toLoadOptions(job), RequestError);
    }
};

QTEST_GUILESS_MAIN(TestTokenRows)
#include "tst_token_rows.moc"
