// What the instruments found, on its way into the pages and over the sound.
#include "app/gui/background.h"
#include "app/gui/look_controller.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "widgets/embeddings/embedding_matrix.h"
#include "widgets/look/alternatives_page.h"
#include "widgets/look/attention_page.h"
#include "widgets/look/layers_page.h"
#include "widgets/look/lens_page.h"
#include "widgets/look/look_tab.h"
#include "widgets/look/probes_page.h"
#include "widgets/look/saliency_page.h"
#include "widgets/signal/signal_view.h"

namespace earscope {

void LookController::connectResults() {
    connect(&session_, &SessionController::lensRead, this, [this](const LensValue& value) {
        if (arrived(Instrument::Lens, value.id)) {
            tab_.lens()->setLens(std::make_shared<const LensValue>(value));
            refresh();
        }
    });
    connect(&session_, &SessionController::saliencyComputed, this,
            [this](const SaliencyValue& value) {
                if (arrived(Instrument::Saliency, value.id)) {
                    tab_.saliency()->setSaliency(std::make_shared<const SaliencyValue>(value));
                    refresh();
                }
            });
    connect(&session_, &SessionController::layersRead, this, &LookController::onLayers);
    connect(&session_, &SessionController::probed, this, &LookController::onProbed);
    connect(&session_, &SessionController::probeEstimated, this,
            [this](const ProbeEstimate& value) {
                if (value.id == estimate_job_) {
                    estimate_job_ = 0;
                    tab_.probes()->setProbeEstimate(value);
                    if (estimated_ != tab_.probes()->probes()) {
                        estimateProbes();
                    }
                }
            });
    connect(&session_, &SessionController::extracted, this, [this](const EmbeddingsValue& value) {
        extracted_ = std::make_shared<const EmbeddingsValue>(value);
        if (layers_) {
            setLayers();
        }
    });
}

void LookController::connectAnswers() {
    connect(&session_, &SessionController::attended, this, [this](const AttentionValue& value) {
        if (arrived(Instrument::Attention, value.id)) {
            tab_.attention()->setAttention(std::make_shared<const AttentionValue>(value));
            if (value.firstRow < 0) {
                offerWords(value.generated, value.edits);
            }
            refresh();
        }
    });
    connect(
        &session_, &SessionController::alternativesListed, this,
        [this](const AlternativesValue& value) {
            if (!arrived(Instrument::Alternatives, value.id)) {
                return;
            }
            tab_.alternatives()->setAlternatives(std::make_shared<const AlternativesValue>(value));
            if (value.continueToken < 0) {
                std::vector<TokenValue> tokens;
                for (const AlternativeToken& token : value.tokens) {
                    tokens.push_back(token.token);
                }
                offerWords(tokens, value.edits);
            }
            refresh();
        });
    connect(&session_, &SessionController::generated, this, [this](const GenerationValue& value) {
        if (sameRequest(value.request, state_.request())) {
            offerWords(value.tokens, value.edits);
        }
    });
}

void LookController::offerWords(const std::vector<TokenValue>& tokens, const QStringList& edits) {
    // A token of an answer under other edits may be another one in the answer to be looked at.
    if (edits == tab_.probes()->edits()) {
        tab_.saliency()->setAnswer(tokens);
    }
}

void LookController::connectLaidOver() {
    connect(tab_.attention(), &AttentionPage::lanesChanged, this, &LookController::layOver);
    connect(tab_.saliency(), &SaliencyPage::overlayChanged, this, &LookController::layOver);
    connect(&tab_, &LookTab::pageChanged, this, &LookController::layOver);
}

void LookController::connectMaps() {
    connect(tab_.attention(), &AttentionPage::mapWanted, this, [this] {
        const AttentionPointer value = tab_.attention()->attention();
        const AttentionChoice choice = tab_.attention()->choice();
        runInBackground(
            this, [value, choice] { return attentionMap(*value, choice); },
            [this, value, choice](const HeatmapPointer& map) {
                tab_.attention()->setMap(value, choice, map);
            });
    });
    connect(tab_.saliency(), &SaliencyPage::mapWanted, this, [this](int source) {
        const SaliencyPointer value = tab_.saliency()->saliency();
        runInBackground(
            this, [value, source] { return saliencyMap(*value, source); },
            [this, value, source](const HeatmapPointer& map) {
                tab_.saliency()->setMap(value, source, map);
            });
    });
}

void LookController::layOver() {
    // What is in front is drawn over the sound, as long as it is the same sound.
    const auto fits = [this](Instrument instrument) {
        const Run& run = runFor(instrument);
        return run.page->hasResult() && tab_.currentPage() == run.page &&
               run.shown.audioPaths == state_.audioPaths();
    };
    signal_.setLanes(fits(Instrument::Attention) ? tab_.attention()->lanes()
                                                 : std::vector<std::vector<double>>(),
                     tr("attention"));
    const SaliencyPointer saliency = tab_.saliency()->saliency();
    signal_.setOverlays(
        fits(Instrument::Saliency) && saliency ? saliency->maps : std::vector<TensorValue>(),
        saliency ? tr("saliency, %1").arg(saliencyMethodName(saliency->method)) : QString());
}

void LookController::estimateProbes() {
    if (estimate_job_ != 0 || !reason().isEmpty() || tab_.probes()->probes().isEmpty()) {
        return;
    }
    ProbeJob job;
    job.on = instrumentRequest();
    job.probes = tab_.probes()->probes();
    job.statisticsOnly = tab_.probes()->statisticsOnly();
    estimated_ = job.probes;
    estimate_job_ = session_.estimateProbe(job);
}

void LookController::onProbed(const ProbesValue& value) {
    if (!arrived(Instrument::Probes, value.id)) {
        return;
    }
    probed_ = std::make_shared<const ProbesValue>(value);
    tab_.probes()->setProbed(probed_);
    refresh();
}

void LookController::mapCapture(int capture) {
    runInBackground(
        this,
        [probed = probed_, tokens = tokens_, capture] {
            return captureMap(probed->captures[static_cast<std::size_t>(capture)], tokens);
        },
        [this, probed = probed_, capture](const HeatmapPointer& map) {
            if (probed == probed_) {
                tab_.probes()->setCaptureMap(capture, map);
            }
        });
}

std::vector<NamedStates> LookController::streams() const {
    std::vector<NamedStates> streams;
    if (extracted_ && layers_ && extracted_->edits != layers_->edits) {
        return streams;  // made otherwise than the layers beside which they would stand
    }
    for (std::size_t i = 0; extracted_ && layers_ && i < extracted_->sources.size(); ++i) {
        auto tokens = std::make_shared<std::vector<TokenValue>>();
        for (const TokenValue& token : layers_->tokens) {
            if (token.tokenClass == TokenClass::Audio && token.source == static_cast<int>(i)) {
                tokens->push_back(token);
            }
        }
        for (const EmbeddingKind& kind : embeddingKinds(extracted_->sources[i])) {
            const TensorValue& values = embeddingOf(extracted_->sources[i], kind);
            // Of another request when the numbers differ.
            if (values.rows() == static_cast<qint64>(tokens->size())) {
                streams.push_back({tr("%1, source %2").arg(embeddingKindName(kind)).arg(i + 1), -1,
                                   values, tokens});
            }
        }
    }
    return streams;
}

void LookController::onLayers(const LayersValue& value) {
    if (!arrived(Instrument::Layers, value.id)) {
        return;
    }
    layers_ = std::make_shared<const LayersValue>(value);
    setLayers();
    refresh();
}

void LookController::setLayers() {
    tab_.layers()->setData(layersData(*layers_, streams()));
}

void LookController::makeView(const LayerViewRequest& request) {
    runInBackground(
        this, [data = tab_.layers()->data(), request] { return makeLayerView(data, request); },
        [this, data = tab_.layers()->data()](const LayerView& view) {
            if (data == tab_.layers()->data()) {
                tab_.layers()->setView(view);
            }
        });
}

}  // namespace earscope
