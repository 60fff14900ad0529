import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { agentEnvironment } from '../../src/core/driver/agentEnvironment.ts';
import { drivers } from '../../src/drivers/index.ts';
import { tempFolder } from '../support/tempFolder.ts';

// Gemini CLI and Qwen Code read the `.env` of the folder that they start in, as this Node does: what is set, stays.

it.each(drivers.map(driver => [driver.id, driver] as const))(
	'no .env of the workspace takes the hooks of %s away, or its terminal',
	async (_, driver) => {
		await using folder = tempFolder('nancy-env-');
		writeFileSync(folder.file('.env'), 'NANCY_HOOKS=off\nNANCY_ATTENDED=0\n');
		const env = agentEnvironment(driver, {
			launchEnv: {},
			inherited: {},
			cwd: folder.path,
			program: '/bin/agent',
			hasHooks: true,
			isHeadless: false,
			worker: undefined,
		});
		const set = Object.fromEntries(
			Object.entries(env).filter((each): each is [string, string] => each[1] !== null),
		);
		const shown = 'process.env.NANCY_HOOKS + " " + process.env.NANCY_ATTENDED';
		const args = [`--env-file=${folder.file('.env')}`, '-p', shown];
		expect(execFileSync(process.execPath, args, { env: set, encoding: 'utf8' }).trim()).toBe('on 1');
	},
);
