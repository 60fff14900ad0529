import { phrase } from '../../base/phrase.ts';
import type { DeskDelegate, DeskMessage, DeskQuestion, DeskWorker } from '../../protocol/deskState.ts';
import type { Effect } from '../../protocol/question.ts';
import * as agents from '../../words/agents.ts';
import { delegateStateWord } from '../../words/delegates.ts';
import * as messages from '../../words/messages.ts';
import * as questions from '../../words/questions.ts';
import { host } from './host.ts';
import { say } from './words.ts';

/** The words of the domain as a person reads them, in the language of the browser. */

/** `Fix the login asks for Bash`. */
export function headingOf(question: DeskQuestion): string {
	const who = whoAsks(question);
	switch (question.kind) {
		case 'tool':
			return say(phrase`${who} asks for ${question.tool}`);
		case 'choice':
			return say(phrase`${who} asks you`);
		case 'plan':
			return say(phrase`${who} has a plan`);
	}
}

/** A task's first agent has the task's name. One without a mailbox is called as its CLI. */
function whoAsks({ delegate, taskTitle, task, worker, agentName, subagent }: DeskQuestion): string {
	const own = [taskTitle ?? task, worker === 'worker' ? '' : worker].filter(Boolean).join(' · ');
	const who = delegate?.title || own || agentName;
	return subagent === undefined ? who : say(phrase`${who}, subagent ${subagent}`);
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
export function choiceLabel({ kind }: Pick<DeskQuestion, 'kind'>, effect: Effect): string {
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

/** How long the rule of an answer holds. */
export function ruleWords({ effect, keptIn }: DeskQuestion['choices'][number]): string {
	if (keptIn !== undefined) return say(phrase`Adds this rule to ${keptIn}:`);
	return effect === 'session' ? say(phrase`Adds this rule until the session ends:`) : say(phrase`Adds this rule:`);
}

/** `Bash: rm -rf build`, in one line. */
export function askedWords(question: DeskQuestion): string {
	return say(questions.askedWords(question));
}

/** Why the request deserves a closer look. Empty without a reason. */
export function riskWords({ risk }: DeskQuestion): string {
	const reasons = risk.map(each => say(questions.riskWords(each)));
	return reasons.length === 0 ? '' : say(phrase`Look closely: it ${reasons.join(', ')}.`);
}

/** What an agent has said of its work, as a quotation. Empty if it has said nothing in this turn. */
export function saidOf({ said }: Pick<DeskWorker, 'said'>): string {
	return said ? say(agents.saidWords(said)) : '';
}

/** What decides what became of a question. */
type Answered = Pick<DeskQuestion, 'kind' | 'answer' | 'outcome'> & {
	choices: readonly Pick<DeskQuestion['choices'][number], 'effect' | 'isYes'>[];
};

/** What an agent's CLI has told its user in this turn, as a quotation. Empty if it has told nothing. */
export function alertOf({ agentName, alert }: Pick<DeskWorker, 'agentName' | 'alert'>): string {
	return alert ? say(phrase`${agentName} says: “${alert.text}”`) : '';
}

/** What became of a question, in a sentence. Empty while nobody has answered. */
export function stateOf(question: Answered): string {
	const { answer, outcome } = question;
	const label = answer ? choiceLabel(question, answer.effect) : '';
	const byRule = answer?.by === 'rule' ? say(phrase`Answered by your rule: ${label}.`) : '';
	if (outcome) return [byRule, outcomeOf(question, outcome)].filter(Boolean).join(' ');
	if (answer?.by === host().surface)
		return say(phrase`Sent: ${label}. The agent has not yet reported what came of it.`);
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
			return say(phrase`Answered on the device “${answer.device}”: ${label}.`);
	}
}

function outcomeOf({ kind, choices, answer }: Answered, { state, evidence }: NonNullable<DeskQuestion['outcome']>) {
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

/** What an agent does, in a word or two. */
export function phaseWord(worker: DeskWorker): string {
	return say(agents.phaseWord(worker));
}

/** Where a message is. */
export function messageState({ state, isToPerson, receipt }: DeskMessage): string {
	if (isToPerson && (state === 'queued' || state === 'claimed')) return say(phrase`unread`);
	if (isToPerson && state === 'delivered') return say(phrase`read`);
	const isInContext = state === 'delivered' && receipt?.inContextAt !== undefined;
	return isInContext ? say(phrase`in context`) : say(messages.stateWord(state));
}

/** What a message is for. */
export function kindWord({ kind, effect }: DeskMessage): string {
	return say(messages.effectWord(effect) ?? messages.kindWord(kind));
}

/** A delegate's state in a word or two. */
export function delegateWord({ state, isStopped, waitsInQueue }: DeskDelegate): string {
	return isStopped ? say(phrase`stopped`) : say(delegateStateWord(state, waitsInQueue));
}
