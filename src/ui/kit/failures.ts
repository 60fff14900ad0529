import * as vscode from 'vscode';
import { isNancyError } from '../../base/errors.ts';
import { sentence } from './format.ts';
import { complain } from './messages.ts';
import { translated } from './translated.ts';

/**
 * What the window does about a failure: it logs all of it, and shows a person Nancy's own errors alone. It shows no word of the system's
 * errors. Programs are told those too: see operations/shared/failure.
 */
export class Failures {
	constructor(readonly log: vscode.LogOutputChannel) {}

	/** Runs what a person asked for; a failure is logged and shown, a cancellation is neither. */
	async guard(run: () => Promise<void> | void): Promise<void> {
		try {
			await run();
		} catch (error) {
			await this.show(error);
		}
	}

	/** For work that nobody waits for: a failure is logged only. */
	background(work: Promise<unknown>): void {
		void work.catch((error: unknown) => this.log.error(asLoggable(error)));
	}

	private async show(error: unknown): Promise<void> {
		if (error instanceof vscode.CancellationError) return;
		this.log.error(asLoggable(error));
		const text = isNancyError(error)
			? sentence(translated(error.said))
			: vscode.l10n.t('Nancy hit a problem. The log has the details.');
		const showLog = vscode.l10n.t('Show Log');
		if ((await complain(text, showLog)) === showLog) this.log.show();
	}
}

function asLoggable(error: unknown): Error | string {
	return error instanceof Error ? error : String(error);
}
