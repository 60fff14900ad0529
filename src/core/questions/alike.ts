import type { Question } from '../../protocol/question.ts';
import { sha256 } from '../../base/sha256.ts';
import { sortedJson } from './digest.ts';

/** Nobody reads a longer one in a list. In UTF-16 units. */
const LONGEST = 2000;

/**
 * A hash of what questions have in common that one answer may be for. The same agent of the same session asks for the same tool in the same
 * place, and says the same beside the request. Each request is shown whole.
 * @returns `undefined` for a question that is answered alone
 */
export function alikeAs(question: Question): string | undefined {
	const { kind, isWhole, body, driver, session, delegate, subagent, tool, bodyIs, cwd, also } = question;
	if (kind !== 'tool' || !isWhole || body === '' || body.length > LONGEST) return undefined;
	return sha256(sortedJson({ driver, session, delegate, subagent, tool, bodyIs, cwd, also })).slice(0, 12);
}
