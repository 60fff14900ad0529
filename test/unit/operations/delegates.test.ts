import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { Workspace } from '../../../src/core/workspace.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const settings = vi.hoisted((): Record<string, unknown> => ({}));

vi.mock('vscode', () => ({
	Uri: { file: (path: string) => path },
	l10n: { t: (text: string) => text },
	workspace: {
		isTrusted: true,
		getConfiguration: () => ({ get: (key: string) => settings[key], inspect: () => undefined }),
	},
}));

const { WindowDelegates } = await import('../../../src/operations/delegates.ts');
type Window = InstanceType<typeof WindowDelegates>;
type Folder = Parameters<Window['start']>[0];
type Request = Parameters<Window['start']>[1];

let temp: TempFolder;
let workspace: Workspace;

beforeEach(() => {
	temp = tempFolder();
	mkdirSync(temp.file('project'));
	workspace = new Workspace(temp.file('project'));
	vi.stubEnv('XDG_DATA_HOME', temp.file('data'));
	vi.stubEnv('CLAUDE_SWARM_WORKER', undefined);
	settings['nancy.delegates.swarmWorker'] = false;
});
afterEach(async () => {
	vi.unstubAllEnvs();
	await temp.remove();
});

/** What starting looks at of it. */
function asFolder(value: Pick<Folder, 'path' | 'workspace'>): Folder;
function asFolder(value: unknown): unknown {
	return value;
}

async function started(more: Partial<Request> = {}) {
	const window = new WindowDelegates(
		() => Promise.reject(new Error('not installed')),
		() => {},
	);
	const folder = asFolder({ path: workspace.folder, workspace });
	const look = vi.spyOn(window, 'look').mockResolvedValue();
	const id = await window.start(folder, {
		prompt: 'Do it.',
		agent: fakeDriver.id,
		permissions: 'default',
		folder: workspace.folder,
		...more,
	});
	expect(look).toHaveBeenCalledOnce();
	return (await new Delegates(workspace).get(id)).record;
}

describe('a delegate that is started in the window', () => {
	it('is a swarm’s worker where that is set, or the environment says so', async () => {
		expect((await started()).swarm).toBeUndefined();
		settings['nancy.delegates.swarmWorker'] = true;
		expect((await started()).swarm).toEqual({ feature: 'delegates.delegate-2' });
		vi.stubEnv('CLAUDE_SWARM_WORKER', 'false');
		expect((await started()).swarm).toBeUndefined();
		settings['nancy.delegates.swarmWorker'] = false;
		vi.stubEnv('CLAUDE_SWARM_WORKER', 'true');
		expect((await started()).swarm).toEqual({ feature: 'delegates.delegate-4' });
	});

	it('keeps the name of the worker that it is again', async () => {
		expect(await started({ swarm: { feature: 'login' }, group: 'g' })).toMatchObject({
			swarm: { feature: 'login' },
			group: 'g',
		});
	});
});
