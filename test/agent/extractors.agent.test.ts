import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../src/base/atomicFile.ts';
import { parseVersion } from '../../src/base/version.ts';
import type { HeadlessResult } from '../../src/core/driver/headless.ts';
import { answerIn, requestOf } from '../../src/core/memory/extraction.ts';
import { driverById } from '../../src/drivers/index.ts';
import { agentLab, type AgentLab, type AgentLabOptions } from '../support/agentLab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const answer = { summary: 'It learnt what the tests need.', plan: null, updates: [] };

let place: TempFolder;
beforeEach(() => {
	place = tempFolder('nancy-extraction-');
	mkdirSync(place.file('empty'));
});
afterEach(() => place.remove());

/** Asks the real CLI as an extraction does, in an empty folder. */
async function asked(lab: AgentLab, { driver: id, env: more }: AgentUnderTest, digest: string) {
	const driver = driverById(id);
	const version = parseVersion(lab.agent.version);
	if (!driver || driver.extractor === 'none' || !version) throw new Error(`${id} cannot be asked`);
	const { extractor } = driver;
	const env = { ...lab.env, ...more };
	const folder = place.file('files');
	const texts = requestOf(digest, [], '');
	const launch = extractor.launch({ ...texts, model: undefined, version, folder, env });
	for (const file of launch.files ?? []) await writeFileAtomic(file.path, file.content);
	const cwd = place.file('empty');
	const child = spawn(lab.agent.command, launch.args, {
		cwd,
		env: { ...env, ...launch.env, NANCY_HOOKS: 'off', PWD: cwd },
	});
	child.stdin.end(launch.stdin);
	const closed = new Promise<number | null>(resolve => child.once('close', resolve));
	const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
	const reader = extractor.reader();
	const events = [...stdout.split('\n').flatMap(line => reader.read(line)), ...reader.end(code)];
	const result = events.flatMap(each => (each.is === 'result' ? [each.result] : [])).at(-1);
	return { result, stdout, stderr, code };
}

const said = (result: HeadlessResult | undefined) => (result && !result.failure ? answerIn(result.text) : undefined);

const Body = z.looseObject({
	tools: z.optional(z.array(z.looseObject({ name: z.optional(z.string()), type: z.optional(z.string()) }))),
	config: z.optional(z.looseObject({ tools: z.optional(z.unknown()) })),
});

describe.each(agentsUnderTest)('$driver, asked for notes', agent => {
	it('answers in one request with the digest, and without a tool that does anything', async () => {
		await using lab = await agentLab(agent.home);
		const done = await asked(lab, agent, `p1 user\n  Why? [[text:${JSON.stringify(answer)}]]\n`);
		console.log(agent.driver, done.code, lab.model.requests.length, JSON.stringify(done.result), done.stderr.slice(0, 800), JSON.stringify(lab.model.requests.map(r=>[r.url, JSON.stringify(r.body).length, JSON.stringify(Body.parse(r.body).tools?.map(t=>t.name ?? t.type))])), readdirSync(place.file('empty')));
		if (!said(done.result)) console.log(done.stdout.slice(0, 3000));
	});
});
