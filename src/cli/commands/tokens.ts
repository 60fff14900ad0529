import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import type { TranscriptFacts } from '../../core/driver/driver.ts';
import { TokensOutput } from '../../protocol/output/tasks.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { resolveMailbox } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { findWorkspace } from '../../operations/place.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { tokenUse } from '../tokenUse.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ of: z.optional(z.string()) });

export const tokens = command(
	{
		name: 'tokens',
		summary: "show how full an agent's context window is",
		details: [
			'Of the current session, against the threshold of the workspace (tokenThreshold in .nancy/config.json). Without an ' +
				'argument: the worker in whose terminal it runs.',
		],
		positionals: [{ name: 'of', label: '<task>[/<worker>]', help: 'whose session', required: false }],
		options: {},
		examples: [['nancy tokens fix-login/worker-2 --json', 'for a program']],
	},
	Input,
	async ({ of }, context) => {
		const workspace = findWorkspace(context);
		const own = ownAddress(context.asker);
		if (of === undefined && !own) {
			throw new NancyError('bad-usage', 'outside of a Nancy terminal say whose: nancy tokens <task>[/<worker>]');
		}
		const address = of === undefined && own ? own : await resolveMailbox(workspace, context.asker, of ?? '');
		const worker = mailboxName(address);
		const record = await workspace.worker(address);
		const session = record?.sessions.at(-1);
		if (!record || !session) throw new NancyError('no-task', `${worker} has had no session yet`);
		const { tokenThreshold: thresholdPercent } = await workspace.config();
		const use = tokenUse(await factsOf(record));
		const { contextTokens, contextWindow } = use;
		const isKnown = contextTokens !== undefined && contextWindow !== undefined && contextWindow > 0;
		const usedPercent = isKnown ? Math.round((contextTokens / contextWindow) * 1000) / 10 : undefined;
		const overThreshold = usedPercent !== undefined && usedPercent >= thresholdPercent;
		const output: z.infer<typeof TokensOutput> = {
			worker,
			session: session.id,
			...use,
			...(usedPercent !== undefined && { usedPercent }),
			thresholdPercent,
			overThreshold,
		};
		return answer(TokensOutput, output, lines(output));
	},
);

function lines(output: z.infer<typeof TokensOutput>): string[] {
	const { worker, model, inputTokens, outputTokens, costUsd, usedPercent, overThreshold } = output;
	const facts = [
		`${inputTokens} tokens in, ${outputTokens} out`,
		costUsd === undefined ? '' : `$${costUsd.toFixed(2)}`,
		model === undefined ? '' : printableLine(model),
	];
	return [
		`${worker}: ${fillWords(output)}`,
		...(usedPercent === undefined
			? []
			: [
					overThreshold
						? 'over the threshold: finish the step at hand and write down what is left'
						: 'below the threshold',
				]),
		facts.filter(fact => fact !== '').join(', '),
	];
}

function fillWords({
	contextTokens,
	contextWindow,
	usedPercent,
	thresholdPercent,
}: z.infer<typeof TokensOutput>): string {
	if (contextTokens === undefined) return 'nothing is known of its context yet';
	if (usedPercent === undefined) return `${contextTokens} tokens in context; how many fit is not known`;
	return `${contextTokens} of ${contextWindow} tokens in context, ${usedPercent} % (threshold ${thresholdPercent} %)`;
}

async function factsOf({ agent, sessions }: WorkerRecord): Promise<TranscriptFacts> {
	const [{ driverById }, { Transcript }, { NO_FACTS }] = await Promise.all([
		import('../../drivers/index.ts'),
		import('../../core/sessions/transcripts.ts'),
		import('../../core/driver/driver.ts'),
	]);
	const format = driverById(agent)?.transcript ?? 'none';
	const file = sessions.at(-1)?.transcript;
	if (format === 'none' || file === undefined) return NO_FACTS;
	const transcript = new Transcript(file, format);
	await transcript.read();
	return transcript.facts;
}
