import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import { resolveAddress } from '../../operations/shared/addresses.ts';
import { command } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { trafficLine } from '../trafficLine.ts';
import { withCancel } from '../withCancel.ts';

const Input = z.object({
	of: z.optional(z.string()),
	follow: z._default(z.boolean(), false),
	event: z.optional(z.string()),
	session: z.optional(z.string()),
	text: z.optional(z.string()),
	limit: z._default(z.string().check(z.regex(/^\d{1,6}$/)), '50'),
});

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
	async ({ of, limit, follow, ...filter }, context) => {
		const workspace = findWorkspace(context);
		const input = {
			...filter,
			limit: Number(limit),
			...(of !== undefined && { of: await resolveAddress(workspace, context.asker, of) }),
		};
		const where = programContext(workspace, context);
		const write = (record: TrafficRecord) =>
			context.writeLine(context.wantsJson ? JSON.stringify(record) : trafficLine(record));
		if (follow) {
			const operation = await operations.followTraffic();
			await withCancel(signal => perform(operation, context.asker, input, { ...where, write, signal }));
		} else {
			const { records } = await perform(await operations.traffic(), context.asker, input, where);
			for (const record of records) write(record);
		}
		return ExitCode.ok;
	},
);
