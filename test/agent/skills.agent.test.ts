import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { ORCHESTRATOR, SessionId } from '../../src/protocol/names.ts';
import { submit } from '../support/submit.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { programs } from '../support/programs.ts';
import { dataFolderIn } from '../support/runtime.ts';
import { readSkills } from '../support/skills.ts';
import { long } from '../support/long.ts';

const bypass = ['--permission-mode', 'bypassPermissions'];

interface SkillsLab extends DeployedLab {
	address: WorkerAddress;
	session: SessionId;
}

/** A workspace with Nancy's skills, and an agent with the environment of a Nancy terminal. */
async function skillsLab(): Promise<SkillsLab> {
	const lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	const address = await startedTask(lab, session);
	Object.assign(lab.env, {
		NANCY_TASK_DIR: lab.nancy.paths.task(address.task),
		NANCY_TASK: address.task,
		NANCY_WORKER: address.worker,
		// Where the seals of this lab's messages are.
		XDG_DATA_HOME: dirname(dataFolderIn(lab.home)),
		PATH: [await binFolder(join(lab.home, 'bin')), lab.env['PATH']].join(delimiter),
	});
	return { ...lab, address, session };
}

async function binFolder(folder: string): Promise<string> {
	await mkdir(folder);
	cpSync((await programs()).cli, join(folder, 'nancy.js'));
	writeFileSync(join(folder, 'nancy'), `#!/bin/sh\nexec '${process.execPath}' "\${0%/*}/nancy.js" "$@"\n`);
	chmodSync(join(folder, 'nancy'), 0o755);
	return folder;
}

const lastText = (lab: DeployedLab) => lab.model.requests.findLast(request => request.hasTools)?.text ?? '';

describe('the skills in the real Claude Code', () => {
	it('are offered to the model with what they do and when', async () => {
		await using lab = await skillsLab();
		await lab.headless('[[text:Hello]]');
		const offered = readSkills().filter(({ folder, fields }) =>
			lastText(lab).includes(`- ${folder}: ${fields['description']}`),
		);
		expect(offered.map(({ folder }) => folder)).toEqual(readSkills().map(({ folder }) => folder));
	});

	it('are offered to a person who types a slash', long, async () => {
		await using lab = await skillsLab();
		const claude = await lab.interactive();
		claude.type('/check-');
		await claude.waitForText(/\/check-directives[^]*\/check-tokens|\/check-tokens[^]*\/check-directives/);
	});

	it('lead an agent that uses check-directives to its messages, and to filing them', async () => {
		await using lab = await skillsLab();
		const id = await lab.send(lab.address, 'Use the retry helper.');
		await lab.headless(
			`[[tool:Skill|{"skill":"check-directives"}]] [[sh:nancy inbox]] [[sh:nancy archive ${id}]] [[text:Filed]]`,
			['--session-id', lab.session, ...bypass],
		);
		const texts = lab.model.requests.filter(request => request.hasTools).map(request => request.text);
		expect(texts[1]).toContain('Run `nancy inbox`');
		expect(texts[2]).toMatch(new RegExp(`build/worker\\n +delivered +${id} +directive from orchestrator`));
		const { messages } = await lab.nancy.mailbox(lab.address).list(['archived']);
		expect(messages.map(message => message.id)).toEqual([id]);
	});

	it('take the words a person typed after the slash, and let the agent write to the human', async () => {
		await using lab = await skillsLab();
		const claude = await lab.interactive([...bypass, '--session-id', lab.session]);
		await submit(
			claude,
			'/send-message orchestrator [[sh:echo Which database? | nancy send orchestrator -]] [[text:Asked]]',
		);
		await claude.waitForText(/● Asked/);
		expect(lastText(lab)).toContain('Request: orchestrator ');
		const inbox = lab.nancy.mailbox({ task: lab.address.task, worker: ORCHESTRATOR });
		const { messages } = await inbox.list(['queued']);
		expect(messages.map(({ content }) => ({ from: content.from, text: content.text }))).toEqual([
			{ from: 'build/worker', text: 'Which database?' },
		]);
	});

	it('grant no permission: the command they tell to run is asked about as before', async () => {
		await using lab = await skillsLab();
		const id = await lab.send(lab.address, 'Use the retry helper.');
		await lab.headless(`[[tool:Skill|{"skill":"check-directives"}]] [[sh:nancy archive ${id}]] [[text:Done]]`, [
			'--session-id',
			lab.session,
		]);
		expect(lastText(lab)).toContain('Run `nancy inbox`');
		expect((await lab.nancy.mailbox(lab.address).list(['archived'])).messages).toEqual([]);
		expect(lastText(lab)).toMatch(/requires approval|permission/i);
	});
});
