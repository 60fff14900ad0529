import { phrase, type Phrase } from '../../base/phrase.ts';
import type { Rule, RuledRequest, RulesFile } from '../../protocol/deskRules.ts';
import { LONGEST_RULE } from '../../protocol/deskRules.ts';
import type { Question } from '../../protocol/question.ts';
import { sortedJson } from './digest.ts';
import { noTo } from './reply.ts';

const LONGEST_MS = LONGEST_RULE * 60 * 60 * 1000;

/** What a shell, or whoever reads a command, may take for the end of a line. */
const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;

/** The parts of a question that a rule is for. */
export function ruledRequest({ bodyIs, body, also, cwd, files }: Question): RuledRequest {
	return { bodyIs, body, also, files, ...(cwd !== undefined && { cwd }) };
}

/** Why no rule may answer such a question; `undefined` if one may. What the agent asks its user, and a plan, are a person's to answer. */
export function whyNoRule({ kind }: Question): Phrase | undefined {
	return kind === 'tool' ? undefined : phrase`it asks its user`;
}

/** Why no rule may answer it with Yes. Nobody can tell whose subagent asks, so none is allowed anything. */
export function whyNoYes(question: Question): Phrase | undefined {
	const { isWhole, subagent, bodyIs, body, choices, risk } = question;
	if (subagent !== undefined) return phrase`a subagent asks`;
	if (!isWhole || !choices.some(({ effect }) => effect === 'once')) return phrase`it cannot be shown whole`;
	if (bodyIs === 'command' && LINE_BREAK.test(body)) return phrase`its command has several lines`;
	if (risk === undefined) return phrase`its risks are not known`;
	return whyNoRule(question);
}

/**
 * The rule that answers a question; a No before a Yes. A rule answers only what is asked after it was made.
 * @param workspace the real path of the folder whose agent asks
 * @param isUsedUp whether a rule has answered as often as it may
 */
export async function ruleFor(
	question: Question,
	{ isPaused, rules }: RulesFile,
	{ workspace, nowMs, isUsedUp }: { workspace: string; nowMs: number; isUsedUp: (rule: Rule) => Promise<boolean> },
): Promise<Rule | undefined> {
	if (isPaused || whyNoRule(question)) return undefined;
	const found = rules.filter(
		rule =>
			rule.workspace === workspace &&
			rule.madeAt < question.askedAt &&
			rule.driver === question.driver &&
			rule.tool === question.tool &&
			(rule.session === undefined || rule.session === question.session) &&
			isNow(rule, nowMs) &&
			(rule.request === undefined || sortedJson(rule.request) === sortedJson(ruledRequest(question))),
	);
	const no = found.find(({ effect }) => effect === 'no');
	if (no || whyNoYes(question) !== undefined) return no;
	for (const rule of found) if (hasSeenRisks(rule, question) && !(await isUsedUp(rule))) return rule;
	return undefined;
}

/** Whether the person who made a rule saw every risk of the question. The same words have another one where a folder is now a link. */
function hasSeenRisks(rule: Rule, { risk = [] }: Question): boolean {
	return rule.effect === 'once' && risk.every(each => rule.risk?.includes(each));
}

/** Whoever sets the clock back gains no time before the rule was made. */
function isNow({ madeAt, until }: Rule, nowMs: number): boolean {
	const [from, to] = [Date.parse(madeAt), Date.parse(until)];
	return from <= nowMs && nowMs < Math.min(to, from + LONGEST_MS);
}

/** What a rule says to a question. */
export function effectOf({ effect }: Rule, question: Question): 'once' | 'no' | 'end' {
	if (effect === 'once') return 'once';
	return noTo(question) === 'end' ? 'end' : 'no';
}
