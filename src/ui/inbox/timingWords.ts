import { l10n } from 'vscode';
import { visible } from '../../base/visible.ts';
import { heldText, type LimitOf } from '../../core/mailbox/held.ts';
import type { Reading, ReadingPlace } from '../../core/mailbox/whenRead.ts';
import type { Timing } from '../../protocol/compose.ts';
import { sentence } from '../kit/format.ts';
import { translated } from '../kit/translated.ts';

/** When each recipient reads a message that is sent now. */
export function timingOf(readings: readonly (Reading | undefined)[], limitOf: LimitOf): Timing {
	const known = readings.filter(each => each !== undefined);
	const isHeld = known.some(each => each.when === 'held');
	const [only, ...others] = known;
	if (!only || known.length < readings.length) return { short: '', text: '', isPlain: true, isHeld };
	const isAlike = others.every(each => shortWords(each) === shortWords(only));
	return {
		short: isAlike ? shortWords(only) : '',
		text: others.length === 0 ? visible(readingWords(only, limitOf)) : countWords(known),
		isPlain: isAlike && isPlain(only),
		isHeld,
	};
}

/** For a line with three more controls on it. */
function shortWords(reading: Reading): string {
	switch (reading.when) {
		case 'working':
			return reading.after === undefined ? shortPlace(reading.at) : l10n.t('after your answer');
		case 'wakes':
			return l10n.t('wakes now');
		case 'may-wake':
			return l10n.t('may wake');
		case 'started':
			return l10n.t('at its start');
		case 'first-prompt':
			return l10n.t('first prompt');
		case 'ending':
			return l10n.t('about to end');
		case 'held':
			return l10n.t('held');
	}
}

function shortPlace(at: ReadingPlace): string {
	switch (at) {
		case 'tool':
		case 'instead':
		case 'instead-or-prompt':
		case 'pause':
		case 'ask-to-pause':
			return l10n.t('next tool call');
		case 'permission':
			return l10n.t('next permission');
		case 'stop':
			return l10n.t('when done');
		case 'prompt':
			return l10n.t('next prompt');
	}
}

/** Whether the few words say it all. In any other case, the user should see the sentence. */
function isPlain(reading: Reading): boolean {
	if (reading.when !== 'working') return ['wakes', 'started', 'first-prompt'].includes(reading.when);
	return reading.after === undefined && reading.at !== 'permission' && reading.at !== 'ask-to-pause';
}

function readingWords(reading: Reading, limitOf: LimitOf): string {
	switch (reading.when) {
		case 'working':
			return [afterWords(reading.after), placeWords(reading.at)].filter(Boolean).join(' ');
		case 'wakes':
			return l10n.t('Wakes it now.');
		case 'may-wake':
			return `${l10n.t('Tries to wake it now.')} ${sentence(translated(heldText(reading.held, limitOf)))}`;
		case 'started':
			return l10n.t('Read once it has started.');
		case 'first-prompt':
			return l10n.t('Read with its first prompt.');
		case 'ending':
			return l10n.t('The delegate is about to end and may not read it.');
		case 'held':
			return l10n.t('Held: {0}', sentence(translated(heldText(reading.held, limitOf))));
	}
}

function afterWords(after: 'permission' | 'question' | undefined): string {
	switch (after) {
		case 'permission':
			return l10n.t('It waits for your permission first.');
		case 'question':
			return l10n.t('It waits for your answer first.');
		case undefined:
			return '';
	}
}

function placeWords(at: ReadingPlace): string {
	switch (at) {
		case 'tool':
			return l10n.t('Read at its next tool call, or when it is done.');
		case 'instead':
			return l10n.t('Blocks its next tool call. Read there, or when it is done.');
		case 'instead-or-prompt':
			return l10n.t('Blocks its next tool call. Read there, or with its next prompt.');
		case 'pause':
			return l10n.t('Read at its next tool call, where its turn ends.');
		case 'ask-to-pause':
			return l10n.t('At its next tool call, it is asked to end its turn.');
		case 'permission':
			return l10n.t('Read when it next needs permission for a tool, where its turn ends.');
		case 'stop':
			return l10n.t('Read when it is done. It continues with it.');
		case 'prompt':
			return l10n.t('Read with its next prompt: nothing hands it over before.');
	}
}

/** `2 at the next tool call · 1 woken now · 1 held` */
function countWords(readings: readonly Reading[]): string {
	const count = (...whens: readonly Reading['when'][]) => readings.filter(({ when }) => whens.includes(when)).length;
	const working = readings.filter(each => each.when === 'working');
	const atStop = working.filter(({ at }) => at === 'stop').length;
	const atPrompt = working.filter(({ at }) => at === 'prompt').length;
	const atTool = working.length - atStop - atPrompt;
	const phrases: readonly [number, string][] = [
		[atTool, l10n.t('{0} at the next tool call', atTool)],
		[atStop, l10n.t('{0} when they are done', atStop)],
		[atPrompt, l10n.t('{0} at the next prompt', atPrompt)],
		[count('wakes', 'may-wake'), l10n.t('{0} woken now', count('wakes', 'may-wake'))],
		[count('started', 'first-prompt'), l10n.t('{0} at the start', count('started', 'first-prompt'))],
		[count('ending'), l10n.t('{0} about to end', count('ending'))],
		[count('held'), l10n.t('{0} held', count('held'))],
	];
	return phrases
		.filter(([workers]) => workers > 0)
		.map(([, words]) => words)
		.join(' · ');
}
