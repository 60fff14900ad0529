import type * as z from 'zod/mini';
import { DelegateId } from '../protocol/delegate.ts';
import { MessageReply } from '../protocol/deskApi.ts';
import {
	AllowedQuery,
	AllowedReply,
	ChangesQuery,
	ChangesReply,
	DiffQuery,
	DiffReply,
	FileQuery,
	FileReply,
	RemarksRequest,
	StopReply,
	StopRequest,
	TrafficQuery,
	TrafficReply,
} from '../protocol/deskRooms.ts';
import { done, failure, given, type Reply } from './replies.ts';
import type { Done, ServedRooms } from './served.ts';

type Look = (rooms: ServedRooms, query: URLSearchParams) => Promise<Reply>;

/** What is looked at with GET, by its path. Any device may. */
export const LOOKS: ReadonlyMap<string, Look> = new Map([
	['/api/v1/changes', look(ChangesQuery, ChangesReply, (rooms, query) => rooms.changes(query))],
	['/api/v1/diff', look(DiffQuery, DiffReply, (rooms, query) => rooms.diff(query))],
	['/api/v1/allowed', look(AllowedQuery, AllowedReply, (rooms, query) => rooms.allowed(query))],
	['/api/v1/files', look(FileQuery, FileReply, (rooms, query) => rooms.file(query))],
	['/api/v1/traffic', look(TrafficQuery, TrafficReply, (rooms, query) => rooms.traffic(query))],
]);

function look<Q extends z.ZodMiniType, R extends z.ZodMiniType>(
	query: Q,
	reply: R,
	run: (rooms: ServedRooms, query: z.infer<Q>) => Promise<Done<z.infer<R>>>,
): Look {
	return (rooms, params) =>
		given(query, Object.fromEntries(params), async asked => done(reply, await run(rooms, asked)));
}

/** A delegate, and what is done with it. */
export const DELEGATE = /^\/api\/v1\/delegates\/([^/]+)\/(stop|remarks)$/;

interface Asked {
	/** From the address. */
	readonly delegate: string;
	readonly verb: string | undefined;
	readonly body: unknown;
}

/** @param once does the same request once, by its nonce */
export async function doInRoom(
	{ delegate, verb, body }: Asked,
	device: string,
	rooms: ServedRooms,
	once: (nonce: string, run: () => Promise<Reply>) => Promise<Reply>,
): Promise<Reply> {
	const id = DelegateId.safeParse(delegate);
	if (!id.success) return failure(404, 'no-task', 'There is no such delegate.');
	if (verb === 'stop')
		return given(StopRequest, body, ({ folder, nonce }) =>
			once(nonce, async () => done(StopReply, await rooms.stop(device, id.data, folder))),
		);
	return given(RemarksRequest, body, request =>
		once(request.nonce, async () => done(MessageReply, await rooms.remark(device, id.data, request))),
	);
}
