/** The beginning of each message of Nancy's, in any text: see core/mailbox/messageId.ts. */
const MARK = '[Nancy message ';

export function holdsMessage(text: string): boolean {
	return text.includes(MARK);
}

export function beginsWithMessage(text: string): boolean {
	return text.trimStart().startsWith(MARK);
}
