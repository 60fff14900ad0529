/**
 * One message of the conversation. `agent-side` is all that the model did not say: the user, the agent CLI's reminders,
 * hook contexts. Output of tools is left out, so a file that is shown cannot steer the model; a message from Nancy is kept
 * wherever it comes, because a halted tool call carries it as the call's result.
 */
export interface Turn {
	speaker: 'agent-side' | 'model';
	text: string;
	/** Text that came as the result of a tool call. */
	toolOutput: string;
}

export function agentTurn(texts: readonly string[], results: readonly string[]): Turn {
	const delivered = results.flatMap(result => deliveredMessages(result).map(message => message.whole));
	return { speaker: 'agent-side', text: [...texts, ...delivered].join('\n'), toolOutput: results.join('\n') };
}

export function modelTurn(texts: readonly string[]): Turn {
	return { speaker: 'model', text: texts.join('\n'), toolOutput: '' };
}

export interface DeliveredMessage {
	/** With its heading. */
	whole: string;
	kind: string;
	text: string;
	id: string;
}

/** Nancy's messages in a text, each once: some events hand the same message to the model twice. */
export function deliveredMessages(text: string): DeliveredMessage[] {
	const found = text.matchAll(
		/\[Nancy message (\S+): ([^\]]*?) from [^\]]*\]\n([^]*?)\n(?=\n\[(?:Nancy message|Each message) )/g,
	);
	const byId = new Map<string, DeliveredMessage>();
	for (const [whole, id = '', kind = '', words = ''] of found) byId.set(id, { whole, kind, text: words, id });
	return [...byId.values()];
}
