import { useEffect, useState } from 'preact/hooks';
import { provenToken } from './browserHost.ts';
import { link, type Posted } from './host.ts';
import { get } from './post.ts';
import type { Shape } from './shape.ts';

/**
 * Looks at something that is not in the state, now and when the connection is back.
 * @param again looks once more when this changes
 * @returns `undefined` until there is an answer. The last one stays while another is waited for
 */
export function useLook<T>(
	route: string,
	query: Readonly<Record<string, string>>,
	reply: Shape<T>,
	again?: unknown,
): Posted<T> | undefined {
	const [answer, setAnswer] = useState<Posted<T>>();
	const isLive = link.value.is === 'live';
	useEffect(() => {
		if (!isLive) return undefined;
		let isOver = false;
		void get(route, query, reply, provenToken).then(got => isOver || setAnswer(got));
		return () => {
			isOver = true;
		};
	}, [isLive, route, JSON.stringify(query), again]);
	return answer;
}
