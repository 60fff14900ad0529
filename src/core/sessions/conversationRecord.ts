import { appendFileSync } from 'node:fs';
import type { ConversationLine } from '../../protocol/conversationRecord.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { OwnFolder } from '../files/ownFolder.ts';

const FOLDER = 'conversations';

/**
 * What an agent has read of what was handed over to it, among the user's own records of a workspace. What is not there when its turn is
 * over goes back into the inbox, however the program that talks with the agent ends.
 */
export class ConversationRecord {
	/** Handed over, and not yet known to be read. */
	private owed: string[] = [];

	/** @param file absolute */
	private constructor(readonly file: string) {}

	/**
	 * A record that is there goes on.
	 * @throws NancyError `bad-file` if it would not be the user's alone
	 * @throws Error on a full disk: the first line says since when the record knows anything
	 */
	static async begin(own: OwnFolder, session: SessionId): Promise<ConversationRecord> {
		await own.note();
		await own.makeFolder(FOLDER);
		const record = new ConversationRecord(own.path(FOLDER, session));
		record.append({});
		return record;
	}

	/** These words are on their way to the agent. */
	owe(words: string): void {
		this.owed.push(words);
	}

	/** The agent has answered, so it has read what it was sent. */
	answered(): void {
		for (const read of this.owed.splice(0)) this.write({ read });
	}

	/** The turn has ended. Words that nothing has answered were not read. */
	over(usage: ConversationLine['usage']): void {
		this.owed = [];
		this.write({ usage });
	}

	/** On a full disk, words count as unread and come again. A line that the disk cut short takes no later one with it. */
	private write(line: Omit<ConversationLine, 'at'>): void {
		try {
			this.append(line);
		} catch {}
	}

	private append(line: Omit<ConversationLine, 'at'>): void {
		const whole = { at: new Date().toISOString(), ...line } satisfies ConversationLine;
		appendFileSync(this.file, `\n${JSON.stringify(whole)}\n`, { mode: 0o600 });
	}
}

/** Forgets the conversation of a session that is over. */
export async function forgetConversation(own: OwnFolder, session: SessionId): Promise<void> {
	await own.remove(FOLDER, session);
}
