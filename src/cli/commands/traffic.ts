import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { matchesFilter } from '../../core/traffic/store.ts';
import { watch } from '../../core/live/watch.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import { resolveAddress, type TypedAddress } from '../addresses.ts';
import { withCollector } from '../collecting.ts';
import { command, type Context } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { Pause } from '../../base/pause.ts';
import { findWorkspace } from '../../operations/place.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { TrafficLog } from '../trafficLog.ts';
import { trafficLine } from '../trafficWords.ts';

const Input = z.object({
	of: z.optional(z.string()),
	follow: z._default(z.boolean(), false),
	event: z.optional(z.string()),
	session: z.optional(z.string()),
	text: z.optional(z.string()),
	limit: z._default(z.string().check(z.regex(/^\d{1,6}$/)), '50'),
});
type Input = z.infer<typeof Input>;

export const traffic = command(
	{
		name: 'traffic',
		summary: 'show what agents report: tools, stops, deliveries',
		details: [
			'Oldest first, one line each. In a terminal that Nancy started only its own worker, elsewhere the whole workspace. ' +
				'With --json every line is one record as stored in .nancy/traffic.',
		],
		positionals: [{ name: 'of', label: '<task>[/<worker>]', help: 'only this task or worker', required: false }],
		options: {
			follow: { short: 'f', help: 'go on with what comes, until interrupted' },
			event: { value: 'NAME', help: 'only this event, for example Stop, delivery, trouble' },
			session: { value: 'ID', help: 'only this session; the beginning of its id is enough' },
			text: { value: 'TEXT', help: 'only records with this text anywhere in them' },
			limit: { value: 'N', help: 'the last N lines (default 50)', expects: 'use a whole number, at most 999999' },
		},
		examples: [
			['nancy traffic fix-login --follow', 'watches one task'],
			['nancy traffic --event Stop --json', 'when agents stopped, for a program'],
		],
	},
	Input,
	async (input, context) => {
		const workspace = findWorkspace(context);
		const wanted = await chosen(workspace, context, input.of);
		const filter = (records: TrafficRecord[]) => records.filter(record => isWanted(record, wanted, input));
		const write = (record: TrafficRecord) =>
			context.writeLine(context.wantsJson ? JSON.stringify(record) : trafficLine(record));
		await withCollector(workspace, async collect => {
			await collect();
			const log = new TrafficLog(workspace, input.session);
			const hasFilter = wanted !== undefined || input.event !== undefined || input.text !== undefined;
			const isMeant = (record: TrafficRecord) => isWanted(record, wanted, input);
			for (const record of await log.readNewest(Number(input.limit), hasFilter ? isMeant : undefined))
				write(record);
			if (!input.follow) return;
			await untilInterrupted(workspace, async () => {
				await collect();
				for (const record of filter(await log.readNew())) write(record);
			});
		});
		return ExitCode.ok;
	},
);

async function chosen(
	workspace: Workspace,
	{ asker }: Context,
	of: string | undefined,
): Promise<TypedAddress | undefined> {
	if (of === undefined) return ownAddress(asker);
	const address = await resolveAddress(workspace, asker, of);
	await workspace.task(address.task);
	const { task, worker } = address;
	if (worker && !(await workspace.worker({ task, worker }))) {
		throw new NancyError('no-task', `${task} has no worker "${worker}"`);
	}
	return address;
}

function isWanted(record: TrafficRecord, wanted: TypedAddress | undefined, { event, text }: Input): boolean {
	if (wanted?.worker !== undefined && record.worker !== wanted.worker) return false;
	return matchesFilter(record, { task: wanted?.task, event, text });
}

async function untilInterrupted(workspace: Workspace, look: () => Promise<void>): Promise<void> {
	const pause = new Pause();
	let isInterrupted = false;
	const interrupt = () => {
		isInterrupted = true;
		pause.end();
	};
	process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
	const watcher = watch(workspace.paths.root, () => pause.end());
	try {
		while (!isInterrupted) {
			await look();
			await pause.take();
		}
	} finally {
		watcher.dispose();
	}
}
