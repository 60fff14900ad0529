import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { Workspace } from '../../src/core/workspace.ts';
import { Delegates, type Delegate } from '../../src/core/delegates/delegates.ts';
import { orchestrate, withAgent } from '../support/agentWorkbench.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import type { Workbench } from '../support/workbench.ts';

const size = { width: 1500, height: 1300 };

/** A repository with one commit. */
function repository(folder: TempFolder): string {
	mkdirSync(folder.file('project'));
	const project = realpathSync(folder.file('project'));
	const git = (...args: string[]) =>
		execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@e.x', ...args], { cwd: project });
	git('init', '-q', '-b', 'main');
	git('commit', '-q', '--allow-empty', '-m', 'first');
	return project;
}

/** Answers the questions of “Delegate…”. */
async function delegate(
	workbench: Workbench,
	prompt: string,
	choices: Readonly<Record<string, string>>,
): Promise<void> {
	await workbench.quick.getByText('What is to be done').first().waitFor();
	await workbench.answer(prompt);
	for (const [what, choice] of Object.entries(choices)) {
		await workbench.pick(what);
		await workbench.pick(choice);
		await workbench
			.quickRow(what)
			.filter({ hasText: choice.slice(0, 12) })
			.waitFor();
	}
	await workbench.pick('Start Delegate');
}

async function all(project: string): Promise<Delegate[]> {
	return (await new Delegates(new Workspace(project)).list()).delegates;
}

const EDIT = { Where: 'A worktree of its own', Permissions: 'Edit' };

describe('delegates', () => {
	test(
		'bring their result to the idle worker that asked, and their changes through review into the folder',
		{ timeout: 150_000 },
		async () => {
			await using folder = tempFolder('nd-');
			const project = repository(folder);
			await withAgent(
				'delegates',
				async (lab, model) => {
					const { workbench, page } = lab;
					const row = (text: string | RegExp) => workbench.row('Delegates', text);
					await workbench.pane('Delegates').getByText('No delegates yet').waitFor();
					await orchestrate(lab, 'Lead it', 'Wait. [[text:Waiting for results]]');
					const parent = workbench.row('Tasks', /idle · Waiting for results/);
					await parent.waitFor({ timeout: 30_000 });

					await workbench.contextMenu(parent, 'Delegate…');
					// Longer than a title: the model must not play the script again when the result names it.
					const script = `${'so that it is there '.repeat(6)}[[sh:sleep 6; echo hi]][[write:made.txt|by the delegate]][[text:All of it is made.]]`;
					await delegate(workbench, `Make a file ${script}`, EDIT);
					await row(/Make a file.*running · 1 tool call · Bash/).waitFor({ timeout: 30_000 });
					expect(await workbench.status('nancy.nancy.delegates').innerText()).toContain('1 delegate');
					// It has a view of its own, and is no worker of the task.
					expect(await workbench.row('Tasks', /delegate-1/).count()).toBe(0);
					await row(/Make a file/).click();
					await workbench.waitForTerminalText(/● Bash sleep 6; echo hi/, 20_000, 1);
					await lab.screenshot('delegates-running');

					const request = await model.waitForRequest(
						({ text }) =>
							text.includes('[DELEGATE COMPLETE - Task ID:') && text.includes('Waiting for results'),
						30_000,
					);
					expect(request.text).toContain('All of it is made.');
					await row(/Make a file.*done · 2 tool calls/).waitFor();
					await workbench.waitForTerminalText(/All of it is made\.\s+■ done · 2 tool calls/, 20_000, 1);
					expect((await workbench.terminalText(1)).match(/All of it is made\./g)).toHaveLength(1);
					await workbench.toast(/A delegate is done: Make a file/).waitFor();
					expect(await workbench.status('nancy.nancy.delegates').count()).toBe(0);
					expect(existsSync(`${project}/made.txt`)).toBe(false);

					// Its changes, and a comment on a line of them.
					await workbench
						.toast(/A delegate is done/)
						.getByRole('button', { name: 'Review Changes' })
						.click();
					await workbench.tab(/Changes of/).waitFor();
					await page.locator('.multiDiffEntry').filter({ hasText: 'made.txt' }).waitFor();
					await lab.screenshot('delegates-review');
					const line = page.locator('.multiDiffEntry .modified .view-line', { hasText: 'by the delegate' });
					await line.waitFor();
					await line.hover();
					await page.locator('.multiDiffEntry .modified .comment-range-glyph').first().click();
					const box = page.locator('.review-widget .comment-form .monaco-editor');
					await box.click();
					await page.keyboard.type('Say more. [[write:made.txt|by the delegate, twice]][[text:Said more.]]');
					await lab.screenshot('delegates-comment');
					await page.locator('.review-widget').getByRole('button', { name: 'Add Comment' }).click();
					await page.locator('.review-widget').getByText('Say more.').first().waitFor();
					await workbench.command('Nancy: Send Back to Delegate');
					const again = await model.waitForRequest(({ text }) => text.includes('made.txt:1'), 30_000);
					expect(again.text).toContain('Say more.');
					await row(/done · 1 tool call/).waitFor({ timeout: 30_000 });
					const [first, second] = await all(project);
					const made = `${first?.status.worktree?.folder}/made.txt`;
					expect(readFileSync(made, 'utf8')).toBe('by the delegate, twice');
					expect(second?.record.parent).toEqual(first?.record.parent);

					// Into the folder, and the worktree goes.
					await workbench.contextMenu(row(/done · 1 tool call/), 'Merge');
					await workbench
						.toast(/Merged the changes/)
						.getByRole('button', { name: 'Remove Worktree' })
						.click();
					await expect.poll(() => existsSync(first?.status.worktree?.folder ?? '')).toBe(false);
					expect(readFileSync(`${project}/made.txt`, 'utf8')).toBe('by the delegate, twice');
					expect(
						execFileSync('git', ['status', '--porcelain'], { cwd: project, encoding: 'utf8' }),
					).not.toContain('made.txt');
				},
				{ workspace: project, size },
			);
		},
	);

	test(
		'outlive the window, are stopped, started again, and discarded only when asked',
		{ timeout: 150_000 },
		async () => {
			await using folder = tempFolder('nd-');
			const project = repository(folder);
			await withAgent(
				'delegates-life',
				async (lab, model) => {
					const { workbench, page } = lab;
					const row = (text: string | RegExp) => workbench.row('Delegates', text);
					await workbench.command('Nancy: Delegate…');
					await delegate(workbench, 'Take long [[sh:sleep 30; echo over]][[text:It was long.]]', {
						Permissions: 'Edit',
					});
					await row(/Take long.*running · 1 tool call/).waitFor({ timeout: 30_000 });
					await page.reload();
					await workbench.ready();
					await row(/Take long.*running · 1 tool call · Bash/).waitFor({ timeout: 30_000 });
					await row(/Take long.*done/).waitFor({ timeout: 40_000 });
					// For the human, where no worker asked.
					await workbench.row('Inbox', /Delegate done: Take long/).waitFor();

					await workbench.command('Nancy: Delegate…');
					await delegate(workbench, 'Waste it [[write:waste.txt|waste]][[sh:sleep 60; echo late]]', EDIT);
					await row(/Waste it.*running · 2 tool calls/).waitFor({ timeout: 30_000 });
					await workbench.rowAction(row(/Waste it/), 'Stop Delegate');
					await row(/Waste it.*failed · cancelled/).waitFor({ timeout: 20_000 });
					const [, second] = await all(project);
					const worktree = second?.status.worktree?.folder ?? '';
					expect(existsSync(worktree)).toBe(true);

					await workbench.contextMenu(row(/Waste it/), 'Discard…');
					await workbench
						.dialog(/Files not committed: waste\.txt/)
						.getByRole('button', { name: 'Cancel' })
						.click();
					expect(existsSync(worktree)).toBe(true);
					await workbench.contextMenu(row(/Waste it/), 'Discard…');
					await workbench
						.dialog('Remove the worktree')
						.getByRole('button', { name: 'Remove, Keep Branch' })
						.click();
					await expect.poll(() => existsSync(worktree)).toBe(false);
					const kept = execFileSync('git', ['show', `${second?.status.worktree?.branch}:waste.txt`], {
						cwd: project,
						encoding: 'utf8',
					});
					expect(kept).toBe('waste');

					await workbench.contextMenu(row(/Waste it/), 'Delegate Again');
					await expect.poll(async () => (await all(project)).length).toBe(3);
					await model.waitForRequest(({ text }) => text.includes('Waste it'));
					await row(/Waste it.*running/).waitFor({ timeout: 20_000 });
					await workbench.rowAction(row(/Waste it.*running/), 'Stop Delegate');
					await expect.poll(() => row(/Waste it.*failed · cancelled/).count(), { timeout: 20_000 }).toBe(2);
					await lab.screenshot('delegates-life');
				},
				{ workspace: project, size },
			);
		},
	);
});
