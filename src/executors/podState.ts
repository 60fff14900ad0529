import * as z from 'zod/mini';
import { visibleLine } from '../base/visible.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import { CONTAINER, DELEGATE_LABEL } from './podManifest.ts';

const Words = z._default(z.string(), '');
const Named = z.object({ reason: Words, message: Words });
const Condition = z.extend(Named, { type: z.string(), status: z.string() });

const Metadata = z.object({
	/** It begins with no `-`, which `kubectl` would take for an option. */
	name: z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{0,252}$/)),
	labels: z._default(z.record(z.string(), z.string()), {}),
	creationTimestamp: Words,
	deletionTimestamp: z.optional(z.string()),
});

const Item = z.object({
	kind: z.string(),
	metadata: Metadata,
	status: z._default(
		z.extend(Named, {
			phase: Words,
			conditions: z._default(z.array(Condition), []),
			containerStatuses: z._default(
				z.array(
					z.object({
						name: z.string(),
						state: z.object({
							waiting: z.optional(Named),
							running: z.optional(z.unknown()),
							terminated: z.optional(z.extend(Named, { exitCode: z.number() })),
						}),
					}),
				),
				[],
			),
		}),
		{ reason: '', message: '', phase: '', conditions: [], containerStatuses: [] },
	),
});
type Item = z.infer<typeof Item>;

/** What `kubectl get jobs,pods -o json` says, as far as it counts. */
export const Listing = z.object({ items: z.array(Item) });
export type Listing = z.infer<typeof Listing>;

/** Whether there is a container to work in. */
export const PodState = z.discriminatedUnion('is', [
	/** There is no job, and nothing of one. */
	z.object({ is: z.literal('absent') }),
	z.object({
		is: z.literal('waiting'),
		why: z.string(),
		/** It would wait for ever. */
		isHopeless: z.boolean(),
	}),
	z.object({
		is: z.literal('running'),
		pod: z.string(),
		/** Why it ends soon, with all that is in it. */
		leaving: z.optional(z.string()),
	}),
	/** There was a container, or never will be. Nothing in it can be read. */
	z.object({ is: z.literal('over'), why: z.string() }),
]);
export type PodState = z.infer<typeof PodState>;

/** Why a container waits for its image, or for what it names. Without a change by a person, such a container never begins. */
const HOPELESS = new Set(['CreateContainerConfigError', 'ErrImageNeverPull', 'ImageInspectError', 'InvalidImageName']);

/** What has become of the job of a delegate. If there are several pods, the oldest that runs counts. */
export function podStateOf({ items }: Listing, id: DelegateId): PodState {
	const own = items
		.filter(({ metadata }) => metadata.labels[DELEGATE_LABEL] === id)
		.sort((one, other) => (one.metadata.creationTimestamp < other.metadata.creationTimestamp ? -1 : 1));
	const states = own.filter(({ kind }) => kind === 'Pod').map(stateOf);
	const found = states.find(({ is }) => is === 'running') ?? states[0];
	if (found) return found;
	const job = own.find(({ kind }) => kind === 'Job');
	if (!job) return { is: 'absent' };
	const failed = job.status.conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
	if (failed) return { is: 'over', why: words(failed) };
	return job.metadata.deletionTimestamp === undefined
		? { is: 'waiting', why: 'it has no pod', isHopeless: false }
		: { is: 'over', why: 'its job is being deleted' };
}

function stateOf({ metadata, status }: Item): PodState {
	const { name, deletionTimestamp } = metadata;
	const { waiting, running, terminated } =
		status.containerStatuses.find(container => container.name === CONTAINER)?.state ?? {};
	const isOver = status.phase === 'Failed' || status.phase === 'Succeeded';
	if (terminated || isOver) {
		const how = terminated && words({ ...terminated, reason: `${terminated.reason}, exit ${terminated.exitCode}` });
		return { is: 'over', why: status.reason === '' && how !== undefined ? how : words(status) };
	}
	const leaving = deletionTimestamp === undefined ? undefined : 'its pod is being deleted';
	if (running !== undefined) return { is: 'running', pod: name, ...(leaving !== undefined && { leaving }) };
	if (leaving !== undefined) return { is: 'over', why: leaving };
	const unscheduled = status.conditions.find(each => each.type === 'PodScheduled' && each.status === 'False');
	const why = [waiting, unscheduled, status].find(each => each !== undefined && each.reason !== '');
	return {
		is: 'waiting',
		why: why ? words(why) : status.phase || 'Pending',
		isHopeless: waiting !== undefined && HOPELESS.has(waiting.reason),
	};
}

/** `Unschedulable: 0/1 nodes are available` */
function words({ reason, message }: z.infer<typeof Named>): string {
	return visibleLine([reason, message.trim()].filter(Boolean).join(': '), 300) || 'it has ended';
}
