import { l10n } from 'vscode';
import { formatAge, shortName } from '../kit/format.ts';
import type { Choice } from '../kit/inputs.ts';
import { whoAsks } from '../questions/questionItem.ts';
import { askedWords, doingWords, phaseWord, subjectOf } from '../words.ts';
import { whoIs, whoWrote } from '../who.ts';
import type { Need } from './needs.ts';

/** `Find dead code waits for your permission: Bash ls` */
export function needSentence(need: Need): string {
	const [who, what] = [whoNeeds(need), whatFor(need)];
	switch (need.kind) {
		case 'question':
			return l10n.t('{0} asks: {1}', who, what);
		case 'waiting':
			return waitingSentence(who, need.item.worker.state.tool !== undefined, what);
		case 'stopped': {
			const { exitCode } = need.item.worker.state;
			return exitCode === undefined
				? doneSentence(who, what)
				: l10n.t('{0} has failed with exit code {1}.', who, exitCode);
		}
		case 'alert':
			return l10n.t('{0} says: {1}', who, what);
		case 'message':
		case 'delegate':
			return l10n.t('{0} writes: {1}', who, what);
	}
}

/** @param isPermission it asks whether it may use a tool, and nothing else */
export function waitingSentence(who: string, isPermission: boolean, what: string): string {
	if (!isPermission)
		return what === '' ? l10n.t('{0} waits for you.', who) : l10n.t('{0} waits for you: {1}', who, what);
	return what === ''
		? l10n.t('{0} waits for your permission.', who)
		: l10n.t('{0} waits for your permission: {1}', who, what);
}

export function doneSentence(who: string, what: string): string {
	return what === '' ? l10n.t('{0} is done.', who) : l10n.t('{0} is done: {1}', who, what);
}

const ICONS = {
	question: 'question',
	waiting: 'bell-dot',
	stopped: 'circle-filled',
	alert: 'megaphone',
	message: 'mail',
	delegate: 'run-all',
} as const;

/** Letters of a task's title in a list: beside it, the worker's own name has room. */
const NAME = 50;

/** The row of a need in a list: who, and below what for, with which agent and since when. A long title leaves no room beside it. */
export function needRow(need: Need, agentName: (driver: string) => string): Choice & { value: Need } {
	const age = need.since === undefined ? undefined : formatAge(need.since);
	const agent = agentOf(need);
	return {
		label: shortName(whoNeeds(need), NAME),
		detail: [kindWords(need), agent && agentName(agent), age, whatFor(need)].filter(Boolean).join(' · '),
		icon: hasFailed(need) ? 'error' : ICONS[need.kind],
		value: need,
	};
}

/** `1 question`, `2 waiting`, `1 failed`, `1 done`, without what there is none of. */
export function agentCounts(needs: readonly Need[]): string[] {
	const questions = needs.filter(({ kind }) => kind === 'question').length;
	const waiting = needs.filter(({ kind }) => kind === 'waiting').length;
	const stopped = needs.filter(({ kind }) => kind === 'stopped');
	const failed = stopped.filter(hasFailed).length;
	const done = stopped.length - failed;
	const alerts = needs.filter(({ kind }) => kind === 'alert').length;
	return [
		...(questions > 0 ? [questions === 1 ? l10n.t('1 question') : l10n.t('{0} questions', questions)] : []),
		...(waiting > 0 ? [l10n.t('{0} waiting', waiting)] : []),
		...(failed > 0 ? [l10n.t('{0} failed', failed)] : []),
		...(done > 0 ? [l10n.t('{0} done', done)] : []),
		...(alerts > 0 ? [alerts === 1 ? l10n.t('1 notification') : l10n.t('{0} notifications', alerts)] : []),
	];
}

function hasFailed({ kind, item }: Need): boolean {
	return kind !== 'alert' && 'worker' in item && item.worker.state.exitCode !== undefined;
}

/** The driver of the agent that needs the user. */
function agentOf({ item }: Need): string | undefined {
	if ('asked' in item) return item.asked.question.driver;
	return 'worker' in item ? item.worker.record.agent : undefined;
}

function whoNeeds({ folder, item }: Need): string {
	if ('asked' in item) return whoAsks(item, () => l10n.t('an agent'));
	return 'worker' in item ? whoIs(folder, item.address) : whoWrote(folder, item.message.author);
}

/** The command that an agent asks for, its last words, or the subject of its message. */
function whatFor(need: Need): string {
	const { folder, item } = need;
	if ('asked' in item) return askedWords(item.asked.question);
	if (need.kind === 'alert') return need.item.worker.alert?.text ?? '';
	if (!('worker' in item)) return subjectOf(item.message.content);
	return doingWords(item.worker, folder.path);
}

function kindWords(need: Need): string {
	switch (need.kind) {
		case 'question':
			return l10n.t('asks');
		case 'waiting':
			return need.item.worker.state.tool === undefined ? l10n.t('waits for you') : l10n.t('asks permission');
		case 'stopped':
			return hasFailed(need) ? phaseWord(need.item.worker.state) : l10n.t('is done');
		case 'alert':
			return l10n.t('notification');
		case 'message':
			return l10n.t('writes');
		case 'delegate':
			return l10n.t('result');
	}
}
