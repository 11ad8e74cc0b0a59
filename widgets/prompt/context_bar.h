#pragma once
#include <QWidget>

namespace earscope {

/// How much of a model's context a request takes, to scale: audio, text, generated, and what the
/// budget may still add.
class ContextBar : public QWidget {
    Q_OBJECT
public:
    struct Use {
        int audio = 0;      ///< audio tokens of the prompt
        int text = 0;       ///< all other tokens of the prompt
        int generated = 0;  ///< so far
        int budget = 0;     ///< tokens that may be generated in all
        int context = 0;    ///< of the model; 0: no model
    };

    explicit ContextBar(QWidget* parent = nullptr);

    void setUse(const Use& use);
    const Use& use() const { return use_; }
    /// The numbers in words: "prompt 312 (audio 250) + budget 256 of 32,768".
    QString description() const;
    /// Prompt and budget together do not fit.
    bool isOver() const { return use_.context > 0 && taken() > use_.context; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int taken() const { return use_.audio + use_.text + use_.budget; }

    Use use_;
};

}  // namespace earscope
