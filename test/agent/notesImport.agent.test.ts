import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importNotes, writeImported } from '../../src/core/memory/notesImport.ts';
import { driverById } from '../../src/drivers/index.ts';
import { conformanceLab } from '../conformance/lab.ts';
import { claudeCodeUnderTest } from '../support/agents/claudeCode.ts';
import { copilotUnderTest } from '../support/agents/copilot.ts';
import { longIf } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { ToldProject } from '../support/toldProject.ts';

const FIRST = 'The tests of this project need DB_URL.';
const SECOND = 'The port of this project is 4100.';

describe.each([claudeCodeUnderTest, copilotUnderTest])(
	'the real $driver with notes that its CLAUDE.md imports',
	agent => {
		it(
			'reads them once: by the import as it starts and as it is resumed, and by its hook once they have changed',
			longIf(agent === copilotUnderTest),
			async () => {
				const driver = driverById(agent.driver)!;
				await using lab = await conformanceLab({ agent, driver, installed: pinnedAgent(agent.id) });
				const times = async (prompt: string, note: string) =>
					(await lab.seen(prompt)).text.split(note).length - 1;
				const project = new ToldProject(lab.nancy, join(lab.home, 'projects-of-the-user'));
				await project.note([FIRST]);
				await importNotes(lab.nancy, driver.hooks.manual);
				await writeImported(lab.nancy, [driver.hooks.manual]);
				const worker = await lab.start({ prompt: 'The first prompt. [[text:Read]]' });
				expect(await times('The first prompt.', FIRST)).toBe(1);
				const told = (await lab.seen('The first prompt.')).text;
				// Not by the hook: that names its event.
				expect(told).toContain('context.md');
				await worker.idle();
				await worker.submit('The second prompt. [[text:Read]]');
				expect(await times('The second prompt.', FIRST)).toBe(1);
				await worker.idle();
				// What the file says is not what agents are told any more.
				await project.note([FIRST, SECOND]);
				await worker.submit('The third prompt. [[text:Read]]');
				expect(await times('The third prompt.', SECOND)).toBe(1);
				await worker.idle();
				await worker.terminal.close();
				await writeImported(lab.nancy, [driver.hooks.manual]);
				expect(readFileSync(lab.workspace.file('.nancy', 'memory', 'context.md'), 'utf8')).toContain(SECOND);
				await lab.start({ prompt: 'The next prompt. [[text:Read]]', resume: true });
				// What the hook told is in the conversation; the CLI reads the file anew.
				expect(await times('The next prompt.', SECOND)).toBe(2);
			},
		);
	},
);
