import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentsUnderTest } from '../support/agents/index.ts';
import { delegatingLab } from '../support/delegatingLab.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { long } from '../support/long.ts';

// opencode loads modules of the folder that it starts in, and a name that is a path.

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const agent = agentsUnderTest.find(({ driver }) => driver === 'opencode')!;
const ANY_MODULE = '{"compilerOptions":{"baseUrl":".","paths":{"*":["./module.js"]}}}';
const MODULE = 'require("node:fs").writeFileSync(__dirname + "/ran", ""); module.exports = {};\n';
const ESPRIMA = {
	'node_modules/esprima/index.js': MODULE,
	'node_modules/esprima/package.json': '{"name":"esprima","main":"index.js"}',
};
const ASK = ['delegate', '[[text:Done]]', '--agent', 'opencode'];

it('opencode runs nothing of a workspace when it is asked for its version, as by a refused command', async () => {
	await using lab = await delegatingLab(nancy, agent);
	lab.write({
		'tsconfig.json': ANY_MODULE,
		'module.js': MODULE,
		...ESPRIMA,
	});
	await lab.call(['doctor']);
	expect(await lab.callAsAgent(ASK)).toMatchObject({ code: 5 });
	await lab.call(['setup', '--agent', 'opencode']);
	expect(
		['module.js', 'node_modules/esprima/index.js'].map(name => existsSync(join(lab.cwd, name, '../ran'))),
	).toEqual([false, false]);
});

it(
	'a delegate of opencode takes no module for its own, and none is started for an agent by whose files it would',
	long,
	async () => {
		await using lab = await delegatingLab(nancy, agent);
		lab.write({ 'opencode.json': '{"instructions":["x.md"]}\n', '.gitignore': '.nancy\nnode_modules\n' });
		lab.commit();
		expect(await lab.call(['setup', '--agent', 'opencode'])).toMatchObject({ code: 0 });
		lab.write(ESPRIMA);
		expect(await lab.callAsAgent(ASK)).toMatchObject({ code: 0 });
		expect(await lab.ended()).toMatchObject([{ status: 'done' }]);
		expect(existsSync(join(lab.cwd, 'node_modules/esprima/ran'))).toBe(false);
		lab.write({ 'tsconfig.json': ANY_MODULE, 'module.js': MODULE, '.npmrc': 'registry=http://127.0.0.1:9/\n' });
		expect(await lab.callAsAgent(ASK)).toMatchObject({
			code: 5,
			stderr: expect.stringMatching(/: \.npmrc, module\.js, tsconfig\.json\./),
		});
	},
);

it('a delegate of opencode has git make no repository where a file of the project says', long, async () => {
	await using lab = await delegatingLab(nancy, agent);
	lab.write({ 'x.txt': 'x', '.gitignore': '.nancy\n' });
	lab.commit();
	expect(await lab.call(['setup', '--agent', 'opencode'])).toMatchObject({ code: 0 });
	lab.write({ '.git/opencode': `${'../'.repeat(20)}${lab.cwd.slice(1)}/planted` });
	expect(await lab.callAsAgent(ASK)).toMatchObject({ code: 0 });
	expect(await lab.ended()).toMatchObject([{ status: 'done' }]);
	expect(existsSync(join(lab.cwd, 'planted'))).toBe(false);
});
