#include "app/gui/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace earscope;

class TestExportDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
        QVERIFY(folder_.isValid());
        file_ = folder_.filePath(QStringLiteral("out.safetensors"));
        QFile::remove(file_);
    }

    void layers_ofTexts_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("layers");
        QTest::addColumn<bool>("valid");
        QTest::newRow("one") << QStringLiteral("-1") << QList<int>{-1} << true;
        QTest::newRow("list") << QStringLiteral("0, 14; -1") << QList<int>{0, 14, -1} << true;
        QTest::newRow("range") << QStringLiteral("2-4") << QList<int>{2, 3, 4} << true;
        QTest::newRow("twice") << QStringLiteral("1,1") << QList<int>{1} << true;
        QTest::newRow("last") << QStringLiteral("28") << QList<int>{28} << true;
        QTest::newRow("beyond") << QStringLiteral("29") << QList<int>{} << false;
        QTest::newRow("before") << QStringLiteral("-30") << QList<int>{} << false;
        QTest::newRow("backwards") << QStringLiteral("4-2") << QList<int>{} << false;
        QTest::newRow("word") << QStringLiteral("all of them") << QList<int>{} << false;
        QTest::newRow("empty") << QString() << QList<int>{} << true;
    }

    void layers_ofTexts() {
        QFETCH(QString, text);
        QFETCH(QList<int>, layers);
        QFETCH(bool, valid);
        QString error;
        const std::vector<int> got = parseLayers(text, 28, &error);
        QCOMPARE(QList<int>(got.begin(), got.end()), layers);
        QCOMPARE(error.isEmpty(), valid);
    }

    void estimate_followsShapes() {
        ModelValue model;
        model.dtype = QStringLiteral("bfloat16");
        model.hiddenSize = 3584;
        model.audioWidth = 1280;
        model.layers = 28;
        PreparedValue prepared;
        prepared.promptTokens = 800;
        PreparedSource source;
        source.tokens = 750;
        source.durationSeconds = 30;
        source.windowTokens = {750};
        prepared.sources = {source};
        const ExportEstimate estimate = estimateExport(model, prepared);
        QCOMPARE(estimate.embeddings, qint64{750} * (1280 + 3584) * 2);
        QCOMPARE(estimate.perLayer, qint64{750} * 3584 * 2);
        QVERIFY(estimate.inputs > qint64{128} * 3000 * 4 + 480'000 * 4);
    }

    void file_bad_isRefusedWithAReason_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("ending") << QStringLiteral("out.txt");
        QTest::newRow("folder missing") << QStringLiteral("no/such/out.npz");
        QTest::newRow("is a folder") << QString();
    }

    void file_bad_isRefusedWithAReason() {
        QFETCH(QString, name);
        ExportDialog dialog({1'000, 1'000, 1'000, 4}, folder_.filePath(name));
        QVERIFY(!button(dialog)->isEnabled());
        QVERIFY(!error(dialog).isEmpty());
    }

    void file_exists_replacingIsSaidFirst() {
        QFile old(file_);
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.close();
        ExportDialog dialog({1'000, 1'000, 1'000, 4}, file_);
        QVERIFY(button(dialog)->isEnabled());
        QCOMPARE(button(dialog)->text(), QStringLiteral("Replace the file"));
        QVERIFY(!error(dialog).isEmpty());
    }

    void format_chosen_changesTheEnding() {
        ExportDialog dialog({1'000, 1'000, 1'000, 4}, file_);
        dialog.findChild<QComboBox*>(QStringLiteral("exportFormat"))->setCurrentIndex(1);
        QVERIFY(dialog.file().endsWith(QLatin1String("/out.npz")));
        dialog.findChild<QComboBox*>(QStringLiteral("exportFormat"))->setCurrentIndex(0);
        QCOMPARE(dialog.file(), file_);
    }

    void items_chosen_decideSizeAndJob() {
        ExportDialog dialog({1'000'000, 2'000'000, 4'000'000, 4}, file_);
        auto* size = dialog.findChild<QLabel*>(QStringLiteral("exportSize"));
        QVERIFY(size->text().startsWith(QLatin1String("About 3.0 MB")));
        dialog.findChild<QCheckBox*>(QStringLiteral("exportContextual"))->setChecked(true);
        dialog.findChild<QLineEdit*>(QStringLiteral("exportLayers"))
            ->setText(QStringLiteral("0,-1"));
        QVERIFY(size->text().startsWith(QLatin1String("About 11 MB")));
        dialog.findChild<QCheckBox*>(QStringLiteral("exportInputs"))->setChecked(false);
        QSignalSpy spy(&dialog, &ExportDialog::exportRequested);
        button(dialog)->click();
        QCOMPARE(spy.count(), 1);
        QVERIFY(!dialog.inputs());
        QCOMPARE(dialog.layers(), (std::vector<int>{0, -1}));
    }

    void edits_inForce_areSaidUnlessOnlyInputsAreWritten() {
        ExportDialog dialog({1'000, 1'000, 1'000, 4}, file_);
        auto* note = dialog.findChild<QLabel*>(QStringLiteral("exportEdited"));
        dialog.show();
        QVERIFY(!note->isVisible());
        dialog.setEdits({QStringLiteral("layers:0-0=zero")});
        QVERIFY(note->isVisible());
        QVERIFY(note->text().contains(QLatin1String("layers:0-0=zero")));
        dialog.findChild<QCheckBox*>(QStringLiteral("exportEmbeddings"))->setChecked(false);
        QVERIFY(!note->isVisible());
        dialog.findChild<QCheckBox*>(QStringLiteral("exportContextual"))->setChecked(true);
        QVERIFY(note->isVisible());
    }

    void items_none_isRefused() {
        ExportDialog dialog({1'000, 1'000, 1'000, 4}, file_);
        dialog.findChild<QCheckBox*>(QStringLiteral("exportInputs"))->setChecked(false);
        dialog.findChild<QCheckBox*>(QStringLiteral("exportEmbeddings"))->setChecked(false);
        QVERIFY(!button(dialog)->isEnabled());
    }

private:
    static QPushButton* button(ExportDialog& dialog) {
        return dialog.findChild<QPushButton*>(QStringLiteral("exportButton"));
    }
    static QString error(ExportDialog& dialog) {
        return dialog.findChild<QLabel*>(QStringLiteral("exportError"))->text();
    }

    QTemporaryDir folder_;
    QString file_;
};

QTEST_MAIN(TestExportDialog)
#include "tst_export_dialog.moc"
