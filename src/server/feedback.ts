import { once } from 'node:events';
import * as z from 'zod/mini';
import { FolderId, type DeskMessage } from '../protocol/deskState.ts';
import { TaskName, WorkerName } from '../protocol/names.ts';
import type { LiveState } from './liveState.ts';

/** Proxies cut off after 30 s or more. */
const LONGEST_SECONDS = 25;

/** At once. Who asks goes on after the last one. */
const MOST_MESSAGES = 100;

const Query = z.object({
	folder: FolderId,
	task: TaskName,
	worker: WorkerName,
	/** Only later ones. */
	after: z._default(z.string(), ''),
	seconds: z._default(z.string().check(z.regex(/^\d{1,2}$/)), '0'),
});

/**
 * The messages that wait in a mailbox. Nothing is claimed: they wait on.
 * @param signal who asked is gone, or may not look any more
 * @returns `undefined` if the query names none
 */
export async function waitingFeedback(
	query: URLSearchParams,
	live: LiveState,
	signal: AbortSignal,
): Promise<{ messages: DeskMessage[] } | undefined> {
	const parsed = Query.safeParse(Object.fromEntries(query));
	if (!parsed.success) return undefined;
	const { folder, task, worker, after, seconds } = parsed.data;
	const look = () =>
		live
			.waiting(folder, { task, worker })
			.filter(({ id }) => id > after)
			.slice(0, MOST_MESSAGES);
	const waitMs = Math.min(Number(seconds), LONGEST_SECONDS) * 1000;
	const limit = new AbortController();
	const ending = setTimeout(() => limit.abort(), waitMs);
	const isOver = AbortSignal.any([signal, limit.signal]);
	const news = new EventTarget();
	const following = live.follow(() => news.dispatchEvent(new Event('news')));
	try {
		for (;;) {
			const messages = signal.aborted ? [] : look();
			if (messages.length > 0 || isOver.aborted) return { messages };
			await once(news, 'news', { signal: isOver }).catch(() => undefined);
		}
	} finally {
		clearTimeout(ending);
		following.dispose();
	}
}
