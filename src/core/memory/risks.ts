import { visible } from '../../base/visible.ts';
import { REDACTED } from '../traffic/namedSecrets.ts';
import { redactText } from '../traffic/redact.ts';

/** Words that tell an agent what to do, instead of what is. */
const ORDERS =
	/\b(?:you (?:must|should|need to|have to|may now)|always (?:run|use|allow|approve|trust|answer|reply)|never (?:ask|tell|mention|refuse)|ignore (?:all|any|the|previous|earlier)|disregard|do not (?:tell|ask|mention)|remember to|from now on|as an? (?:ai|assistant|agent)|(?:agents?|assistants?|models?) (?:must|should|shall|may now|has to)|system prompt)\b/i;
/** A download that is run, and what loosens permissions. */
const LOOSENING =
	/\b(?:curl|wget|fetch)\b[^|\n]{0,300}\|\s*(?:sudo\s+)?(?:\w*sh|python\d?|node|perl|ruby)\b|\bbase64\s+(?:-d|--decode)|\b(?:bash|sh)\s+<\(|\beval\s*[("$`]|--(?:dangerously|yolo|allow-all|full-auto|no-verify|skip-permissions|trust)|bypassPermissions|approval[_-]?(?:mode|policy)|permission[_-]?mode|danger-full-access|\bchmod\s+(?:-R\s+)?[0-7]*7{2}\b|\bsudo\b|\bauthorized_keys\b|\.ssh\b|\bdisable[sd]? (?:the )?(?:sandbox|hooks?|checks?|security)/i;
/** What looks like a part of the protocol. */
const FORGED = /^\s*(?:\[?nancy\b|system:|user:|assistant:|<\/?\w)|<!--|-->/i;
const ADDRESS = /\bhttps?:\/\/[^\s)>"']+/gi;

/** Whether a text has the form of a secret somewhere, or had one. */
export function hasSecret(text: string): boolean {
	return text.includes(REDACTED) || redactText(text) !== text;
}

/**
 * Whether a text addresses an agent, loosens something, hides something, or names an address that no user has typed.
 * @param typed what the user has typed
 */
export function isInstruction(text: string, typed: string): boolean {
	if (ORDERS.test(text) || LOOSENING.test(text) || FORGED.test(text) || visible(text) !== text) return true;
	return [...text.matchAll(ADDRESS)].some(([address]) => !typed.includes(address));
}
