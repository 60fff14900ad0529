import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ssh } from '../../../src/executors/ssh.ts';
import { socketFolder } from '../../../src/executors/socketFolder.ts';
import { withoutRoot } from '../../support/skipped.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const ANOTHER = 12_345;

describe('the folder of shared connections, where anybody can write', () => {
	let room: TempFolder;
	let shared: string;
	let folder: string;
	beforeEach(() => {
		room = tempFolder();
		shared = room.file('t');
		mkdirSync(shared);
		chmodSync(shared, 0o1777);
		// As /tmp is, which a test cannot name here: a thread's own TMPDIR is not what the system tells.
		vi.stubEnv('XDG_RUNTIME_DIR', shared);
		folder = join(shared, `nancy-ssh-${process.getuid?.()}`);
	});
	afterEach(async () => {
		vi.unstubAllEnvs();
		await room.remove();
	});

	it('is made for its user alone, and is the same one the next time, with what ssh has made there', () => {
		expect(socketFolder()).toBe(folder);
		expect(statSync(folder).mode & 0o777).toBe(0o700);
		writeFileSync(join(folder, 'socket'), '');
		expect(socketFolder()).toBe(folder);
		expect(readdirSync(folder)).toEqual(['socket']);
	});

	it('is made anew if others could write into it, so that none of their sockets stays', () => {
		mkdirSync(folder);
		chmodSync(folder, 0o777);
		writeFileSync(join(folder, 'planted'), '');
		expect(socketFolder()).toBe(folder);
		expect(readdirSync(folder)).toEqual([]);
		expect(statSync(folder).mode & 0o777).toBe(0o700);
	});

	it('is in /tmp where the usual place has a name too long for a socket', () => {
		const long = room.file('long'.repeat(20));
		mkdirSync(long);
		const found = socketFolder({ XDG_RUNTIME_DIR: long });
		expect(found).toBe(`/tmp/nancy-ssh-${process.getuid?.()}`);
		expect(statSync(found ?? '').mode & 0o777).toBe(0o700);
	});

	it('keeps its name for ssh, with a blank and a percent sign', () => {
		const odd = room.file('a %d b');
		mkdirSync(odd, { mode: 0o700 });
		vi.stubEnv('XDG_RUNTIME_DIR', odd);
		const said = execFileSync('ssh', [...new Ssh('lab').options, '-G', 'lab'], { encoding: 'utf8' });
		expect(said).toMatch(new RegExp(`^controlpath ${socketFolder()}/[0-9a-f]{40}$`, 'm'));
	});

	it('is refused if it is a link, and its target stays as it was', () => {
		const target = room.file('target');
		mkdirSync(target, { mode: 0o755 });
		symlinkSync(target, folder);
		expect(socketFolder()).toBeUndefined();
		expect(lstatSync(folder).isSymbolicLink()).toBe(true);
		expect(statSync(target).mode & 0o777).toBe(0o755);
	});

	it('is refused where others may exchange it, and where there is nothing', () => {
		chmodSync(shared, 0o777);
		expect(socketFolder()).toBeUndefined();
		expect(socketFolder({ XDG_RUNTIME_DIR: room.file('n') })).toBeUndefined();
		expect(readdirSync(shared)).toEqual([]);
	});

	it.skipIf(withoutRoot)(
		`is refused if another user made it or owns the folder above, and then no connection is shared${withoutRoot}`,
		() => {
			mkdirSync(folder, { mode: 0o700 });
			chownSync(folder, ANOTHER, ANOTHER);
			expect(socketFolder()).toBeUndefined();
			expect(new Ssh('lab').options).toContain('ControlPath=none');
			const runtime = room.file('o');
			mkdirSync(runtime, { mode: 0o700 });
			chownSync(runtime, ANOTHER, ANOTHER);
			expect(socketFolder({ XDG_RUNTIME_DIR: runtime })).toBeUndefined();
			expect(readdirSync(runtime)).toEqual([]);
		},
	);
});

it('no agent and no display of the user’s is forwarded to another machine', async () => {
	await using room = tempFolder();
	const config = room.file('config');
	writeFileSync(config, 'Host lab\n\tForwardAgent yes\n\tForwardX11 yes\n');
	const said = execFileSync('ssh', ['-F', config, ...new Ssh('lab').options, '-G', 'lab'], { encoding: 'utf8' });
	expect(said).toMatch(/^forwardagent no$/m);
	expect(said).toMatch(/^forwardx11 no$/m);
});
