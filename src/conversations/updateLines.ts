import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** Makes lines for a terminal of what an agent tells while it works. */
export class UpdateLines {
	/** What the agent says, up to its next line end. */
	private rest = '';
	private readonly titles = new Map<string, string>();

	/** @param say takes one line of somebody's text */
	constructor(private readonly say: (line: string) => void) {}

	take(update: SessionUpdate): void {
		switch (update.sessionUpdate) {
			case 'agent_message_chunk':
				if (update.content.type === 'text') this.add(update.content.text);
				return;
			case 'tool_call':
			case 'tool_call_update':
				return this.call(update.toolCallId, update.title ?? undefined, update.status ?? undefined);
			case 'plan':
				this.flush();
				for (const { status, content } of update.entries) this.say(`  ${MARKS[status] ?? '○'} ${content}`);
				return;
			default:
				return;
		}
	}

	/** The line that has not ended: something else comes. */
	flush(): void {
		if (this.rest !== '') this.say(this.rest);
		this.rest = '';
	}

	private add(text: string): void {
		const lines = (this.rest + text).split('\n');
		this.rest = lines.pop() ?? '';
		for (const line of lines) this.say(line);
	}

	/** Its title may come with its first word, or later. */
	private call(id: string, title: string | undefined, status: string | undefined): void {
		const known = this.titles.get(id);
		if (title !== undefined) this.titles.set(id, title);
		const isOver = status === 'completed' || status === 'failed';
		if (status === 'in_progress' || (isOver && known === undefined)) {
			this.flush();
			this.say(`● ${title ?? known ?? 'a tool'}`);
		}
		if (status === 'failed') this.say(`  ✗ ${title ?? known ?? 'it failed'}`);
	}
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '●' };
