import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { errorText } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import type { AcpAgent } from '../core/driver/acp.ts';
import { callGuard, type BetweenPlace } from '../core/driver/calledGuard.ts';
import type { DriverId, SessionId } from '../protocol/names.ts';
import { AcpConversation, type Program } from './acpConversation.ts';
import { answerOf } from './permission.ts';
import { PromptedLines } from './promptedLines.ts';
import { UpdateLines } from './updateLines.ts';

export interface Talk {
	readonly driver: DriverId;
	readonly steering: AcpAgent['steering'];
	readonly place: BetweenPlace;
	readonly program: Program;
	/** The first prompt. */
	readonly prompt: string | undefined;
	/** The session to go on with. */
	readonly resume: SessionId | undefined;
}

/** What a terminal says of how a turn ended; nothing of one that ended by itself. */
const STOPPED: Readonly<Record<string, string>> = {
	cancelled: '— interrupted —',
	max_tokens: '— the answer reached its limit of tokens —',
	max_turn_requests: '— the turn reached its limit of requests —',
	refusal: '— the model refused —',
};

/**
 * Talks with an agent in this terminal, until its user ends it.
 * @returns the exit code
 */
export async function talk({ driver, steering, place, program, prompt, resume }: Talk): Promise<number> {
	let conversation: AcpConversation | undefined;
	let isWorking = false;
	const interrupt = () => {
		if (isWorking) void conversation?.cancel().catch(() => undefined);
	};
	const lines = new PromptedLines({
		stdin: process.stdin,
		prompt: '> ',
		completer: line => [[], line],
		write: text => void process.stdout.write(text),
		interrupt: () => (isWorking ? interrupt() : lines.end()),
		escape: interrupt,
	});
	const shown = new UpdateLines(line => lines.say(`${visible(line)}\n`));
	const ask = (request: RequestPermissionRequest, over: AbortSignal): Promise<RequestPermissionResponse> => {
		shown.flush();
		return answerOf(request, { driver, place, agent: conversation?.pid ?? 0, lines, over });
	};
	const words = async (session: string) => {
		if (steering === 'none' || conversation?.pid === undefined) return undefined;
		const call = { driver, event: steering.event, slot: 'boundary', session, agent: conversation.pid } as const;
		return steering.words(await callGuard(place, call, steering.payload(session, program.cwd)).printed);
	};
	for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => lines.drop());
	try {
		const pull = steering === 'none' ? undefined : steering.method;
		conversation = await AcpConversation.begin(
			{ program, resume, pull },
			{ update: update => shown.take(update), ask, words },
		);
		void conversation.closed.then(() => lines.end());
		if (prompt !== undefined) lines.put(prompt);
		for (;;) {
			const text = await lines.next();
			if (text === undefined || text === '/exit' || text === '/quit') break;
			isWorking = true;
			const stopped = await conversation.prompt(text).catch((error: unknown) => `✗ ${errorText(error)}`);
			isWorking = false;
			shown.flush();
			const said = stopped.startsWith('✗') ? stopped : STOPPED[stopped];
			if (said !== undefined) lines.say(`${visible(said)}\n`);
		}
		return 0;
	} finally {
		lines.close();
		await conversation?.close();
	}
}
