import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { pathFrom } from '../base/inside.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { Attention } from '../core/live/attention.ts';
import type { Failures } from './kit/failures.ts';
import type { Folders } from './folders.ts';
import { firstLine } from './kit/format.ts';
import { inform, warn } from './kit/messages.ts';
import type { Folder } from './ports.ts';
import { notice } from './settings.ts';
import { doneSentence, waitingSentence } from './needs/needWords.ts';
import type { Failure, Terminals } from './tasks/terminals.ts';
import { questionOf } from './questions/questionItem.ts';
import { placeOf, whoIs, whoWrote } from './who.ts';

export interface Call {
	folder: Folder;
	attention: Attention | Failure;
}

/** In milliseconds. VS Code shows three notifications at a time and drops others, so calls that come together become one. */
const GATHER_MS = 500;

/** What a notification's buttons do. */
export interface Reactions {
	showAll(calls: readonly Call[]): Promise<void>;
	/** What is offered for one, best first. */
	choices(call: Call): readonly { label: string; run(): Promise<void> }[];
}

export interface NotificationParts {
	folders: Pick<Folders, 'onDidNeedAttention'>;
	terminals: Pick<Terminals, 'onDidFail'>;
	failures: Pick<Failures, 'background'>;
	reactions: Reactions;
	agentName: (driver: string) => string;
}

/** Tells the user that an agent waits, is done, has failed or has written, as the settings say. */
export class Notifications implements vscode.Disposable {
	private gathered: Call[] = [];
	private timer: NodeJS.Timeout | undefined;
	private readonly following: readonly Disposable[];

	constructor(private readonly own: NotificationParts) {
		const add = (call: Call) => this.add(call);
		this.following = [own.folders.onDidNeedAttention(add), own.terminals.onDidFail(add)];
	}

	dispose(): void {
		clearTimeout(this.timer);
		for (const each of this.following) each.dispose();
	}

	private add(call: Call): void {
		const { kind } = call.attention;
		if (notice(kind === 'failed' ? 'stopped' : kind, call.folder.path) !== 'notification') return;
		this.gathered.push(call);
		this.timer ??= setTimeout(() => {
			this.timer = undefined;
			const calls = this.gathered;
			this.gathered = [];
			this.own.failures.background(this.show(calls));
		}, GATHER_MS);
	}

	private async show(gathered: readonly Call[]): Promise<void> {
		// By now its question is there, if Nancy can carry an answer. Then all questions are told of together.
		const calls = gathered.filter(
			({ folder, attention }) =>
				attention.kind !== 'permission' || !questionOf(folder, attention.address, attention.at),
		);
		const [only, ...others] = calls;
		if (only === undefined) return;
		const { reactions, agentName } = this.own;
		const isWarning = calls.some(isUrgent);
		if (others.length > 0) {
			const showAll = l10n.t('Show');
			if ((await showLine(summary(calls), isWarning, showAll)) === showAll) await reactions.showAll(calls);
			return;
		}
		const choices = reactions.choices(only);
		const labels = choices.map(({ label }) => label);
		const chosen = await showLine(sentence(only, agentName), isWarning, ...labels);
		await choices.find(({ label }) => label === chosen)?.run();
	}
}

function showLine(text: string, isWarning: boolean, ...buttons: string[]): Thenable<string | undefined> {
	return isWarning ? warn(text, ...buttons) : inform(text, ...buttons);
}

function isUrgent({ attention }: Call): boolean {
	switch (attention.kind) {
		case 'permission':
		case 'failed':
			return true;
		case 'delegate':
			return attention.delegate?.state === 'failed';
		default:
			return false;
	}
}

function sentence({ folder, attention }: Call, agentName: NotificationParts['agentName']): string {
	const who = whoIs(folder, attention.address);
	if (attention.kind === 'failed')
		return l10n.t('{0}: {1} ended with exit code {2}.', who, agentName(attention.agent), attention.exitCode);
	const { kind, text, tool, isOnFile, delegate, author } = attention;
	const line = firstLine(isOnFile ? pathFrom(placeOf(folder, attention.address), text) : text, 160);
	switch (kind) {
		case 'permission':
			return l10n.t('{0} (answer in its terminal)', waitingSentence(who, tool !== undefined, line));
		case 'stopped':
			return doneSentence(who, line);
		case 'message':
			return l10n.t('{0} writes: {1}', author ? whoWrote(folder, author) : who, line);
		case 'delegate':
			return delegate?.state === 'failed'
				? l10n.t('A delegate has failed: {0}', line)
				: l10n.t('A delegate is done: {0}', line);
	}
}

function summary(calls: readonly Call[]): string {
	const count = (kind: Call['attention']['kind']) =>
		new Set(
			calls
				.filter(({ attention }) => attention.kind === kind)
				.map(
					({ folder, attention }) => `${folder.path}//${attention.address.task}/${attention.address.worker}`,
				),
		).size;
	const [waiting, stopped, writing] = [count('permission'), count('stopped'), count('message')];
	const [ended, failed] = [count('delegate'), count('failed')];
	const phrase = (workers: number, one: string, several: string) =>
		workers === 0 ? [] : [workers === 1 ? one : several];
	return [
		// No desk has their questions: see show.
		...phrase(
			waiting,
			l10n.t('1 worker waits for you (answer in its terminal).'),
			l10n.t('{0} workers wait for you (answer in their terminals).', waiting),
		),
		...phrase(failed, l10n.t('1 worker has failed.'), l10n.t('{0} workers have failed.', failed)),
		...phrase(writing, l10n.t('1 worker writes to you.'), l10n.t('{0} workers write to you.', writing)),
		...phrase(ended, l10n.t('1 delegate has ended.'), l10n.t('{0} delegates have ended.', ended)),
		...phrase(stopped, l10n.t('1 worker is done.'), l10n.t('{0} workers are done.', stopped)),
	].join(' ');
}
