import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SessionMirror } from '../../../../src/core/live/sessionMirror.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { SessionId } from '../../../../src/protocol/names.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let workspace: Workspace;
let mirror: SessionMirror;

beforeEach(() => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	mkdirSync(workspace.paths.traffic, { recursive: true });
	mirror = new SessionMirror(workspace, [fakeDriver], () => undefined);
});
afterEach(() => folder.remove());

/** A session with one event, some minutes old. */
function session(name: string, minutesAgo: number): SessionId {
	const id = SessionId.parse(name);
	const at = new Date(Date.now() - minutesAgo * 60_000);
	const event = { kind: 'prompt', session: id, driver: 'fake', event: 'prompt' };
	const record = { version: 1, type: 'event', id: `${name}-1`, at: at.toISOString(), event, payload: {} };
	writeFileSync(workspace.paths.trafficFile(id), `${JSON.stringify(record)}\n`);
	utimesSync(workspace.paths.trafficFile(id), at, at);
	return id;
}
const shown = () => mirror.traffic().map(each => each.session);

it('forgets a session whose traffic was removed', async () => {
	const [one, two] = [session('one', 1), session('two', 2)];
	await mirror.read();
	expect(shown()).toEqual([one, two]);
	rmSync(workspace.paths.trafficFile(two));
	expect(await mirror.read()).toBe(true);
	expect(shown()).toEqual([one]);
	expect(await mirror.read()).toBe(false);
});

it('keeps the newest sixty and those of workers, whatever has grown meanwhile', async () => {
	const old = Array.from({ length: 60 }, (_, index) => session(`old-${index}`, 200 + index));
	await mirror.read();
	const fresh = Array.from({ length: 10 }, (_, index) => session(`new-${index}`, index));
	await mirror.read();
	expect(shown()).toHaveLength(70);
	const needed = old.at(-1)!;
	mirror.keepOnly(new Set([needed]));
	expect(shown()).toEqual([...fresh, ...old.slice(0, 50), needed]);
});
