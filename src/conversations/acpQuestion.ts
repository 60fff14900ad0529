import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { ASKS_PERMISSION, ChosenKind } from '../core/driver/acp.ts';
import { parseLine } from '../core/files/jsonLines.ts';
import { SAY_WHY, type Asked } from './conversation.ts';

/** `session/request_permission`, with Nancy's name of the session. The desk answers by the kind of an option. */
export function acpQuestion(request: RequestPermissionRequest): Asked {
	const { toolCall, options, sessionId: session } = request;
	const of = (wanted: string) => options.find(({ kind }) => kind === wanted);
	const no = of('reject_once');
	return {
		toolCall,
		options: no ? [...options, { ...no, ...SAY_WHY }] : options,
		wordsFollow: true,
		fields: [],
		held: { event: ASKS_PERMISSION, payload: { session, cwd: process.cwd(), request } },
		answerIn: printed => {
			const { data } = ChosenKind.safeParse(parseLine(printed));
			if (!data) return undefined;
			// A kind that the agent does not offer is a No.
			const option = of(data.kind) ?? of('reject_once');
			return option ? { option, printed } : 'cancelled';
		},
		told: () => undefined,
	};
}
