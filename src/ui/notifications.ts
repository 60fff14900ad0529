import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { Attention } from '../core/live/attention.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import type { Failures } from './kit/failures.ts';
import type { Folders } from './folders.ts';
import { firstLine } from './kit/format.ts';
import { inform, warn } from './kit/messages.ts';
import type { Folder } from './ports.ts';
import { notice } from './settings.ts';
import { doneSentence, waitingSentence } from './needs/needWords.ts';
import { whoIs } from './who.ts';

export interface Call {
	folder: Folder;
	attention: Attention;
}

/** In milliseconds. VS Code shows three notifications at a time and drops others, so calls that come together become one. */
const GATHER_MS = 500;

/** What a notification's buttons do. */
export interface Reactions {
	showTerminal(folder: Folder, address: WorkerAddress): Promise<void>;
	reply(call: Call): Promise<void>;
	showAll(calls: readonly Call[]): Promise<void>;
	/** What is offered of a delegate that has ended, best first. */
	delegateChoices(call: Call): readonly { label: string; run(): Promise<void> }[];
}

/** Tells the user that an agent waits, is done or has written, as the settings say. */
export class Notifications implements vscode.Disposable {
	private gathered: Call[] = [];
	private timer: NodeJS.Timeout | undefined;
	private readonly following: vscode.Disposable;

	constructor(
		folders: Folders,
		private readonly failures: Failures,
		private readonly reactions: Reactions,
	) {
		this.following = folders.onDidNeedAttention(call => this.add(call));
	}

	dispose(): void {
		clearTimeout(this.timer);
		this.following.dispose();
	}

	private add(call: Call): void {
		if (notice(call.attention.kind, call.folder.path) !== 'notification') return;
		this.gathered.push(call);
		this.timer ??= setTimeout(() => {
			this.timer = undefined;
			const calls = this.gathered;
			this.gathered = [];
			this.failures.background(this.show(calls));
		}, GATHER_MS);
	}

	private async show(calls: readonly Call[]): Promise<void> {
		const [only, ...others] = calls;
		if (only === undefined) return;
		if (others.length > 0) {
			const showAll = l10n.t('Show');
			if ((await showLine(summary(calls), isQuestion(calls), showAll)) === showAll)
				await this.reactions.showAll(calls);
			return;
		}
		if (only.attention.kind === 'delegate') {
			const choices = this.reactions.delegateChoices(only);
			const labels = choices.map(({ label }) => label);
			const isFailure = only.attention.delegate?.state === 'failed';
			const chosen = await showLine(sentence(only), isFailure, ...labels);
			await choices.find(({ label }) => label === chosen)?.run();
			return;
		}
		const showTerminal = l10n.t('Show Terminal');
		const reply = l10n.t('Reply');
		// A question is answered in the terminal. A message would wait for the answer.
		const buttons = isQuestion(calls) ? [showTerminal] : [showTerminal, reply];
		const choice = await showLine(sentence(only), isQuestion(calls), ...buttons);
		if (choice === showTerminal) await this.reactions.showTerminal(only.folder, only.attention.address);
		if (choice === reply) await this.reactions.reply(only);
	}
}

function showLine(text: string, isWarning: boolean, ...buttons: string[]): Thenable<string | undefined> {
	return isWarning ? warn(text, ...buttons) : inform(text, ...buttons);
}

function isQuestion(calls: readonly Call[]): boolean {
	return calls.some(({ attention }) => attention.kind === 'permission');
}

function sentence({ folder, attention: { kind, address, text, tool, delegate } }: Call): string {
	const who = whoIs(folder, address);
	const line = firstLine(text, 160);
	switch (kind) {
		case 'permission':
			return waitingSentence(who, tool !== undefined, line);
		case 'stopped':
			return doneSentence(who, line);
		case 'message':
			return l10n.t('{0} writes: {1}', who, line);
		case 'delegate':
			return delegate?.state === 'failed'
				? l10n.t('A delegate has failed: {0}', line)
				: l10n.t('A delegate is done: {0}', line);
	}
}

function summary(calls: readonly Call[]): string {
	const count = (kind: Attention['kind']) =>
		new Set(
			calls
				.filter(({ attention }) => attention.kind === kind)
				.map(
					({ folder, attention }) => `${folder.path}//${attention.address.task}/${attention.address.worker}`,
				),
		).size;
	const [waiting, stopped, writing] = [count('permission'), count('stopped'), count('message')];
	const ended = count('delegate');
	const phrase = (workers: number, one: string, several: string) =>
		workers === 0 ? [] : [workers === 1 ? one : several];
	return [
		...phrase(waiting, l10n.t('1 worker waits for you.'), l10n.t('{0} workers wait for you.', waiting)),
		...phrase(writing, l10n.t('1 worker writes to you.'), l10n.t('{0} workers write to you.', writing)),
		...phrase(ended, l10n.t('1 delegate has ended.'), l10n.t('{0} delegates have ended.', ended)),
		...phrase(stopped, l10n.t('1 worker is done.'), l10n.t('{0} workers are done.', stopped)),
	].join(' ');
}
