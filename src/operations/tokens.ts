import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theWorker } from '../core/workspace/named.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { NO_FACTS, type TranscriptFacts } from '../core/driver/transcript.ts';
import { Transcript } from '../core/sessions/transcripts.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import { driverById } from '../drivers/index.ts';
import { TaskName, WorkerName } from '../protocol/names.ts';
import { TokensOutput } from '../protocol/output/tasks.ts';
import type { WorkerRecord } from '../protocol/records.ts';
import { anybody, type Operation } from './operation.ts';
import { tokenUse } from './shared/tokenUse.ts';

const Input = z.object({
	/** Whose session. By default the asking agent's own. */
	of: z.optional(z.object({ task: TaskName, worker: WorkerName })),
});

/** Tells how full the context window of a worker's current session is. */
export const tokens: Operation<z.infer<typeof Input>, z.infer<typeof TokensOutput>> = {
	name: 'tokens',
	input: Input,
	output: TokensOutput,
	permit: anybody,
	async run(asker, { of }, { workspace }) {
		const address = of ?? ownAddress(asker);
		if (!address)
			throw new NancyError(
				'bad-usage',
				phrase`outside of a Nancy terminal say whose: nancy tokens <task>[/<worker>]`,
			);
		const worker = mailboxName(address);
		const record = await workspace.worker(address);
		const session = record?.sessions.at(-1);
		if (!record || !session) throw new NancyError('no-task', phrase`${theWorker(address)} has had no session yet`);
		const { tokenThreshold: thresholdPercent } = await workspace.config();
		const use = tokenUse(await factsOf(record));
		const { contextTokens, contextWindow } = use;
		const isKnown = contextTokens !== undefined && contextWindow !== undefined && contextWindow > 0;
		const usedPercent = isKnown ? Math.round((contextTokens / contextWindow) * 1000) / 10 : undefined;
		return {
			worker,
			session: session.id,
			...use,
			...(usedPercent !== undefined && { usedPercent }),
			thresholdPercent,
			overThreshold: usedPercent !== undefined && usedPercent >= thresholdPercent,
		};
	},
};

async function factsOf({ agent, sessions }: WorkerRecord): Promise<TranscriptFacts> {
	const format = driverById(agent)?.transcript ?? 'none';
	const file = sessions.at(-1)?.transcript;
	if (format === 'none' || file === undefined) return NO_FACTS;
	const transcript = new Transcript(file, format);
	await transcript.read();
	return transcript.facts;
}
