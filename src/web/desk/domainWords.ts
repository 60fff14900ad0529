import { phrase } from '../../base/phrase.ts';
import type { DeskDelegate, DeskMessage, DeskQuestion, DeskWorker } from '../../protocol/deskState.ts';
import type { Effect } from '../../protocol/question.ts';
import { say } from './words.ts';

/** The words of the domain as a person reads them, in the words of the window. */

/** `Claude Code asks for Bash`. */
export function headingOf({ kind, tool, agentName }: DeskQuestion): string {
	switch (kind) {
		case 'tool':
			return say(phrase`${agentName} asks for ${tool}`);
		case 'choice':
			return say(phrase`${agentName} asks you`);
		case 'plan':
			return say(phrase`${agentName} has a plan`);
	}
}

/** What the whole request is called. */
export function bodyName({ bodyIs }: DeskQuestion): string {
	switch (bodyIs) {
		case 'command':
			return say(phrase`Command`);
		case 'diff':
			return say(phrase`Change`);
		case 'plan':
			return say(phrase`Plan`);
		case 'json':
			return say(phrase`Input`);
		case 'text':
			return say(phrase`Content`);
	}
}

/** On the button of an answer. */
export function choiceLabel({ kind }: DeskQuestion, effect: Effect): string {
	switch (effect) {
		case 'once':
			if (kind === 'choice') return say(phrase`Send the Answer`);
			return kind === 'plan' ? say(phrase`Carry It Out`) : say(phrase`Allow Once`);
		case 'session':
			return kind === 'plan' ? say(phrase`Carry It Out, with a Rule`) : say(phrase`Allow in This Session`);
		case 'folder':
			return say(phrase`Allow in This Folder`);
		case 'user':
			return say(phrase`Allow Everywhere`);
		case 'no':
			return say(phrase`No`);
		case 'end':
			return say(phrase`No, and End the Turn`);
	}
}

/** What an agent has said of its work, as a quotation. Empty if it has said nothing in this turn. */
export function saidOf({ said }: Pick<DeskWorker, 'said'>): string {
	switch (said?.word) {
		case 'blocked':
			return say(phrase`says it is blocked: “${said.text}”`);
		case 'done':
			return say(phrase`says it is done: “${said.text}”`);
		default:
			return said ? say(phrase`says: “${said.text}”`) : '';
	}
}

/** What an agent's CLI has told its user in this turn, as a quotation. Empty if it has told nothing. */
export function alertOf({ agentName, alert }: Pick<DeskWorker, 'agentName' | 'alert'>): string {
	return alert ? say(phrase`${agentName} says: “${alert.text}”`) : '';
}

/** What became of a question, in a sentence. Empty while nobody has answered. */
export function stateOf(question: DeskQuestion): string {
	const { answer, outcome } = question;
	const label = answer ? choiceLabel(question, answer.effect) : '';
	const byRule = answer?.by === 'rule' ? say(phrase`Answered by your rule: ${label}.`) : '';
	if (outcome) return [byRule, outcomeOf(question, outcome)].filter(Boolean).join(' ');
	switch (answer?.by) {
		case undefined:
			return '';
		case 'rule':
			return byRule;
		case 'command':
			return say(phrase`Answered with the nancy command: ${label}.`);
		case 'vscode':
			return say(phrase`Answered in VS Code: ${label}. The agent has not yet reported what came of it.`);
		case 'page':
			return say(phrase`Sent: ${label}. The agent has not yet reported what came of it.`);
	}
}

function outcomeOf({ kind, choices, answer }: DeskQuestion, { state, evidence }: NonNullable<DeskQuestion['outcome']>) {
	switch (state) {
		case 'applied':
			if (!choices.some(({ effect, isYes }) => isYes && effect === answer?.effect))
				return say(phrase`Denied, as you answered (${evidence}).`);
			return kind === 'tool'
				? say(phrase`Allowed, and done (${evidence}).`)
				: say(phrase`The agent has your answer (${evidence}).`);
		case 'yes-elsewhere':
			return say(phrase`Answered with Yes in the agent’s terminal (${evidence}).`);
		case 'no-elsewhere':
			return say(phrase`Answered with No in the agent’s terminal (${evidence}).`);
		case 'late':
			return say(phrase`Too late: the agent had its answer already (${evidence}).`);
		case 'ended':
			return say(phrase`Nobody is asked any more (${evidence}).`);
		case 'silent':
			return say(phrase`Nancy can no longer carry an answer. If the agent still asks, answer in its terminal.`);
		case 'refused':
			return say(phrase`The answer was refused: ${evidence}`);
	}
}

/** In a word or two. */
export function phaseWord({ phase, tool, exitCode }: DeskWorker): string {
	switch (phase) {
		case 'starting':
			return say(phrase`starting`);
		case 'working':
			return say(phrase`working`);
		case 'waiting':
			return tool === undefined ? say(phrase`waiting for you`) : say(phrase`waiting for permission`);
		case 'idle':
			return say(phrase`idle`);
		case 'ended':
			return exitCode === undefined ? say(phrase`ended`) : say(phrase`failed, exit ${exitCode}`);
	}
}

/** Where a message is. */
export function messageState({ state, isToPerson, receipt }: DeskMessage): string {
	if (isToPerson && (state === 'queued' || state === 'claimed')) return say(phrase`unread`);
	switch (state) {
		case 'queued':
			return say(phrase`queued`);
		case 'claimed':
			return say(phrase`being delivered`);
		case 'delivered':
			if (isToPerson) return say(phrase`read`);
			return receipt?.inContextAt === undefined ? say(phrase`delivered`) : say(phrase`in context`);
		case 'archived':
			return say(phrase`archived`);
		case 'withdrawn':
			return say(phrase`withdrawn`);
	}
}

/** What a message is for. */
export function kindWord({ kind, effect }: DeskMessage): string {
	if (effect === 'halt') return say(phrase`blocks the next tool call`);
	if (effect === 'pause') return say(phrase`ends the turn`);
	switch (kind) {
		case 'directive':
			return say(phrase`directive`);
		case 'feedback':
			return say(phrase`feedback`);
		case 'result':
			return say(phrase`result`);
	}
}

/** A delegate's state in a word or two. */
export function delegateWord({ state, isStopped }: DeskDelegate): string {
	if (isStopped) return say(phrase`stopped`);
	switch (state) {
		case 'queued':
			return say(phrase`queued`);
		case 'running':
			return say(phrase`running`);
		case 'parked':
			return say(phrase`parked`);
		case 'done':
			return say(phrase`done`);
		case 'failed':
			return say(phrase`failed`);
	}
}
