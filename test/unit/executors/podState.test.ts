import { describe, expect, it } from 'vitest';
import { parseJsonFile } from '../../../src/core/files/jsonFile.ts';
import { manifestOf } from '../../../src/executors/podManifest.ts';
import { Listing, podStateOf } from '../../../src/executors/podState.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { clusterOf, ExecutorId } from '../../../src/protocol/executorId.ts';
import { UserSettings } from '../../../src/protocol/settings.ts';
import { folderMachine } from '../../support/folderMachine.ts';

const id = DelegateId.parse('20261129t101538501z-4cc5001c');

function itemOf(kind: 'Job' | 'Pod', status: object, metadata: object = {}) {
	return { kind, metadata: { name: 'p', labels: { 'nancy/delegate': id }, ...metadata }, status };
}

function stateOf(...items: object[]) {
	return podStateOf(Listing.parse({ items }), id);
}

const job = itemOf('Job', { active: 1 });
const deleted = { deletionTimestamp: '2026-11-30T03:00:00Z' };

/** Of a pod with a container in this state. */
function podOf(state: object, status: object = {}, metadata: object = {}) {
	return itemOf('Pod', { phase: 'Pending', containerStatuses: [{ name: 'nancy', state }], ...status }, metadata);
}

describe('what Kubernetes says of a delegate', () => {
	it('is nothing where it has no job, or that of another one', () => {
		expect(stateOf()).toEqual({ is: 'absent' });
		expect(stateOf(itemOf('Job', {}, { labels: { 'nancy/delegate': 'other' } }))).toEqual({ is: 'absent' });
	});

	it('is why it waits', () => {
		const unscheduled = {
			phase: 'Pending',
			conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }],
		};
		expect(stateOf(job)).toMatchObject({ is: 'waiting', why: 'it has no pod', isHopeless: false });
		expect(stateOf(job, itemOf('Pod', unscheduled))).toMatchObject({
			is: 'waiting',
			why: 'Unschedulable: 0/1 nodes',
		});
		expect(stateOf(job, podOf({ waiting: { reason: 'ErrImagePull' } }))).toMatchObject({ isHopeless: false });
	});

	it.each(['ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError'])('is hopeless for %s', reason => {
		expect(stateOf(job, podOf({ waiting: { reason } }))).toEqual({
			is: 'waiting',
			why: reason,
			isHopeless: true,
		});
	});

	it.each([
		[podOf({ terminated: { reason: 'OOMKilled', exitCode: 137 } }), 'OOMKilled, exit 137'],
		[itemOf('Pod', { phase: 'Failed', reason: 'Evicted', message: 'disk' }), 'Evicted: disk'],
		[podOf({ running: {} }, { phase: 'Failed', reason: 'DeadlineExceeded' }), 'DeadlineExceeded'],
		[podOf({}, {}, deleted), 'its pod is being deleted'],
	])('is how it ended', (pod, why) => {
		expect(stateOf(job, pod)).toEqual({ is: 'over', why });
	});

	it('is how its job ended where its pod is gone', () => {
		const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] };
		expect(stateOf(itemOf('Job', failed))).toEqual({ is: 'over', why: 'DeadlineExceeded' });
		expect(stateOf(itemOf('Job', {}, deleted))).toEqual({ is: 'over', why: 'its job is being deleted' });
	});

	it('is the pod that has its work, and not the one that follows it', () => {
		const first = podOf(
			{ running: {} },
			{},
			{ name: 'first', creationTimestamp: '2026-11-30T03:00:00Z', ...deleted },
		);
		const next = podOf({ running: {} }, {}, { name: 'next', creationTimestamp: '2026-11-30T03:00:01Z' });
		const leaving = 'its pod is being deleted';
		expect(stateOf(job, next, first)).toEqual({ is: 'running', pod: 'first', leaving });
	});
});

it('a job begins one pod, which has no account of the cluster’s and ends by itself', () => {
	const { job: delegate } = folderMachine('/x');
	const pod = { nodeSelector: { a: 'b' } };
	expect(
		manifestOf({ ...delegate, wallSeconds: 600 }, { image: 'i', pod, container: { envFrom: [] } }),
	).toMatchObject({
		metadata: { name: `nancy-${id}` },
		spec: {
			backoffLimit: 0,
			template: {
				metadata: { labels: { 'nancy/delegate': id } },
				spec: {
					nodeSelector: { a: 'b' },
					restartPolicy: 'Never',
					automountServiceAccountToken: false,
					activeDeadlineSeconds: 3600 + 1500 + 86_400 + 900,
					containers: [{ name: 'nancy', image: 'i', envFrom: [] }],
				},
			},
		},
	});
});

describe('a cluster in the user’s settings', () => {
	const parse = (more: object) => () =>
		parseJsonFile(
			'settings.json',
			JSON.stringify({ delegates: { executors: { k: { type: 'k8s', context: 'c', image: 'i', ...more } } } }),
			UserSettings,
		);

	it('takes fields of the pod and of its container', () => {
		expect(
			parse({ namespace: 'team', pod: { tolerations: [] }, container: { resources: {} }, max: 8 }),
		).not.toThrow();
		expect(
			parse({ context: 'arn:aws:eks:eu-west-1:1:cluster/dev', forwardEnv: ['ANTHROPIC_API_KEY'] }),
		).not.toThrow();
	});

	it.each([
		[{ context: '--as=root' }],
		[{ namespace: 'A B' }],
		[{ image: '' }],
		[{ pod: { restartPolicy: 'Always' } }],
		[{ container: { command: ['x'] } }],
		[{ forwardEnv: ['NANCY_RUN'] }],
	])('does not take %j', more => {
		expect(parse(more)).toThrow('settings.json cannot be read');
	});

	it.each([
		['k8s:k@kind-dev', { name: 'k', context: 'kind-dev', namespace: undefined }],
		['k8s:k:team@me@dev:1/x', { name: 'k', context: 'me@dev:1/x', namespace: 'team' }],
		['slurm:hpc@login1', undefined],
	])('has the id %s', (on, cluster) => {
		expect(clusterOf(ExecutorId.parse(on))).toEqual(cluster);
	});
});
