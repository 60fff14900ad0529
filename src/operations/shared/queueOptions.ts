import { join } from 'node:path';
import type { Capacity } from '../../core/delegates/admission.ts';
import type { Runtime } from '../../core/deployment/runtime.ts';
import type { QueueOptions } from '../../delegates/delegateQueue.ts';
import { drivers } from '../../drivers/index.ts';
import { programVariable } from '../../process/detect.ts';
import type { CommonSettings, ExecutorSettings } from '../../protocol/settings.ts';
import type { OperationContext } from '../operation.ts';
import { executorIdOf } from './executors.ts';
import { ticketsOf } from './ticketsOf.ts';

/** How the queue of delegates is looked at: as set, unless the environment says otherwise. */
export function queueOptions(
	context: Pick<OperationContext, 'dataFolder' | 'env' | 'workspace'>,
	{ bin }: Runtime,
	settings: CommonSettings,
): QueueOptions {
	const { env } = context;
	const host = env['NANCY_DELEGATES_HOST'] ?? settings.host;
	const programs = drivers.flatMap(({ id }) => {
		const name = programVariable(id);
		const path = env[name];
		return path === undefined ? [] : [[name, path] as const];
	});
	return {
		tickets: ticketsOf(context),
		// Installed: it outlives this process.
		nancy: join(bin, 'nancy'),
		...capacityOf(context, settings),
		env: { ...Object.fromEntries(programs), ...(host !== undefined && { NANCY_DELEGATES_HOST: host }) },
	};
}

/** The limits of parallel delegates: here of the user's shell, else of the settings; elsewhere of the settings. */
export function capacityOf({ env }: Pick<OperationContext, 'env'>, { max, executors = {} }: CommonSettings): Capacity {
	const cap = Number(env['NANCY_DELEGATES']);
	const known = Object.entries(executors).map(([name, each]) => ({ id: executorIdOf(name, each), each }));
	const limits = (limitOf: (each: ExecutorSettings) => number | undefined) =>
		Object.fromEntries(
			known.flatMap(({ id, each }) => {
				const most = limitOf(each);
				return most === undefined ? [] : [[id, most] as const];
			}),
		);
	return {
		cap: Number.isInteger(cap) && cap > 0 ? cap : max,
		places: limits(each => each.max),
		queues: limits(each => (each.type === 'ssh' ? undefined : each.maxQueued)),
	};
}
