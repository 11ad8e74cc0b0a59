// What of the main window outlives it: layout, settings, and how it closes.
#include "app/gui/about_text.h"
#include "app/gui/compare_controller.h"
#include "app/gui/export_controller.h"
#include "app/gui/generate_controller.h"
#include "app/gui/main_window.h"
#include "app/gui/model_controller.h"
#include "app/gui/sources_controller.h"
#include "app/gui/window_actions.h"
#include "core/bridge/session_controller.h"
#include "widgets/sources/record_bar.h"

#include <QAction>
#include <QCloseEvent>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QHeaderView>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

namespace earscope {

void MainWindow::restoreSettings() {
    const QSettings settings(paths_.settingsFile(), QSettings::IniFormat);
    model_->restore(settings);
    generate_->restore(settings);
    export_->restore(settings);
    compare_->restore(settings);
    setTheme(themeOfName(settings.value(QStringLiteral("view/theme")).toString()));
    const QSettings layout(paths_.layoutFile(), QSettings::IniFormat);
    restoreGeometry(layout.value(QStringLiteral("window/geometry")).toByteArray());
    restoreState(layout.value(QStringLiteral("window/state")).toByteArray());
    centre_->restoreState(layout.value(QStringLiteral("window/centre")).toByteArray());
}

void MainWindow::saveSettings() {
    actions_->wideTabs->setChecked(false);  // the next start has every panel again
    QDir().mkpath(paths_.config);
    QDir().mkpath(paths_.state);
    QSettings settings(paths_.settingsFile(), QSettings::IniFormat);
    model_->save(settings);
    generate_->save(settings);
    export_->save(settings);
    compare_->save(settings);
    settings.setValue(QStringLiteral("view/theme"), nameOfTheme(theme_));
    QSettings layout(paths_.layoutFile(), QSettings::IniFormat);
    layout.setValue(QStringLiteral("window/geometry"), saveGeometry());
    layout.setValue(QStringLiteral("window/state"), saveState());
    layout.setValue(QStringLiteral("window/centre"), centre_->saveState());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const bool losing = generate_->isRunning() || export_->isRunning() || compare_->isRunning() ||
                        record_bar_->isRecording();
    if (losing && !close_now_) {
        event->ignore();
        askBeforeClosing();
        return;
    }
    saveSettings();
    sources_->stopPlaying();
    if (record_bar_->isRecording()) {
        record_bar_->stop();
    }
    session_->cancelAll();
    event->accept();
}

void MainWindow::askBeforeClosing() {
    if (findChild<QMessageBox*>(QStringLiteral("closeQuestion")) != nullptr) {
        return;
    }
    auto* box = new QMessageBox(QMessageBox::Question, tr("Earscope"),
                                tr("Something is still running. Stop it and close?"),
                                QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("closeQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* close = box->addButton(tr("Stop and close"), QMessageBox::AcceptRole);
    close->setObjectName(QStringLiteral("stopAndClose"));
    box->addButton(tr("Keep running"), QMessageBox::RejectRole);
    connect(close, &QPushButton::clicked, this, &MainWindow::closeNow, Qt::QueuedConnection);
    box->open();
}

void MainWindow::closeNow() {
    close_now_ = true;
    for (QDialog* dialog : findChildren<QDialog*>()) {
        dialog->close();
    }
    close();
}

void MainWindow::showShortcuts() {
    auto* dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("shortcutsDialog"));
    dialog->setWindowTitle(tr("Keyboard shortcuts"));
    dialog->resize(560, 520);
    const auto listed = actions_->withKeys();
    auto* table = new QTableWidget(static_cast<int>(listed.size()), 2, dialog);
    table->setHorizontalHeaderLabels({tr("Key"), tr("Does")});
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->horizontalHeader()->setStretchLastSection(true);
    for (int row = 0; row < table->rowCount(); ++row) {
        const QAction* action = listed[static_cast<std::size_t>(row)];
        table->setItem(row, 0,
                       new QTableWidgetItem(action->shortcut().toString(QKeySequence::NativeText)));
        table->setItem(row, 1, new QTableWidgetItem(action->data().toString()));
    }
    table->resizeColumnToContents(0);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(table);
    layout->addWidget(buttons);
    dialog->open();
}

void MainWindow::showAbout() {
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Earscope"), aboutText(),
                                QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(windowIcon().pixmap(64));
    box->open();
}

}  // namespace earscope
