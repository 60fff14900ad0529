import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { Workspace } from '../../src/core/workspace.ts';
import { Delegates, type Delegate } from '../../src/core/delegates/delegates.ts';
import { DelegateStatus, Limits, type DelegateState } from '../../src/protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../src/protocol/names.ts';
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
		const isAsked = workbench.quickRow('Start Delegate');
		await isAsked.waitFor();
		await workbench.answer(what);
		await isAsked.waitFor({ state: 'detached' });
		await workbench.quickRow(choice).first().waitFor();
		await workbench.answer(choice);
		await workbench.quickRow(what).filter({ hasText: choice }).waitFor();
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
					await delegate(
						workbench,
						'Take long [[sh:sleep 12; echo one]][[sh:sleep 12; echo two]][[text:It was long.]]',
						{
							Permissions: 'Edit',
						},
					);
					await row(/Take long.*running · 1 tool call/).waitFor({ timeout: 30_000 });
					await page.reload();
					await workbench.ready();
					await row(/Take long.*running · [12] tool calls? · Bash/).waitFor({ timeout: 30_000 });
					await row(/Take long.*done/).waitFor({ timeout: 40_000 });
					// For the human, where no worker asked.
					await workbench.row('Inbox', /Delegate done: Take long/).waitFor();

					await workbench.command('Nancy: Delegate…');
					await delegate(
						workbench,
						'Waste it [[write:waste.txt|waste]][[sh:sleep 12; echo one]][[sh:sleep 12; echo two]][[sh:sleep 12; echo three]]',
						EDIT,
					);
					await row(/Waste it.*running · [234] tool calls/).waitFor({ timeout: 30_000 });
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
				{ workspace: project, size, settings: { 'workbench.colorTheme': 'Default Dark Modern' } },
			);
		},
	);

	test('take a selection along, and hear what is said while they work', { timeout: 120_000 }, async () => {
		await using folder = tempFolder('nd-');
		const project = repository(folder);
		writeFileSync(`${project}/notes.txt`, 'one\ntwo\nthree\n');
		await withAgent(
			'delegates-selection',
			async (lab, model) => {
				const { workbench, page } = lab;
				const row = workbench.row('Delegates', /Explain it/);
				await page.keyboard.press('F1');
				await workbench.quickInput.fill('notes.txt');
				await workbench.pick('notes.txt');
				await workbench.tab('notes.txt').waitFor();
				await page.locator('.view-line', { hasText: 'two' }).click({ clickCount: 3 });
				await page.locator('.view-line', { hasText: 'two' }).click({ button: 'right' });
				await page.locator('.context-view .action-item', { hasText: 'Delegate…' }).first().waitFor();
				await page.waitForTimeout(250);
				await page.locator('.context-view .action-item', { hasText: 'Delegate…' }).first().click();
				await workbench.quick.getByText('What is to be done with notes.txt:2').first().waitFor();
				await delegate(workbench, 'Explain it [[sh:sleep 12; echo one]][[text:Explained]]', {
					Where: 'A worktree of its own, with uncommitted changes',
				});
				const asked = await model.waitForRequest(({ text }) => text.includes('Explain it'), 30_000);
				expect(asked.text).toContain('notes.txt:2:\n\n```\ntwo');

				await row.filter({ hasText: /running · 1 tool call/ }).waitFor({ timeout: 30_000 });
				await workbench.rowAction(row, 'Message This Delegate');
				await workbench.webview().locator('#recipients input:checked').waitFor();
				await workbench.webview().locator('#text').fill('Be brief.');
				await page.keyboard.press('Control+Enter');
				await workbench.row('Inbox', /Be brief\./).waitFor();
				await workbench.contextMenu(row, 'Send Back to Delegate');
				await workbench.answer('And now in verse. [[text:In verse]]');
				await workbench.toast(/reads your comments before it stops/).waitFor();
				await row.filter({ hasText: /done/ }).waitFor({ timeout: 40_000 });
				const told = await model.waitForRequest(({ text }) => text.includes('And now in verse.'));
				expect(told.text).toContain('Be brief.');
				const [only, ...others] = await all(project);
				expect(others).toEqual([]);
				expect(readFileSync(only?.files.output ?? '', 'utf8')).toBe('In verse');
			},
			{ workspace: project, size },
		);
	});

	test('are only shown in a folder that is not trusted', { timeout: 90_000 }, async () => {
		await using folder = tempFolder('nd-');
		const project = repository(folder);
		const store = new Delegates(new Workspace(project));
		await seed(store, 'Check the parser for strings without an end', 'done', { tool_calls: 31, cost_usd: 0.42 });
		await seed(store, 'Find out why the build is slow', 'failed', {
			tool_calls: 3,
			error: 'timeout: it took too long',
		});
		for (const _ of [1, 2]) await seed(store, 'Paint the shed', 'done', { tool_calls: 4 }, 'shed');
		await seed(store, 'Translate the help', 'parked', { parked_until: '2026-01-01T12:00:00.000Z', tool_calls: 7 });
		await seed(store, 'Rename the table', 'queued', {});
		await seed(store, 'Write tests for the parser', 'running', {
			tool_calls: 12,
			last_tool: 'Edit',
			last_file: `${project}/src/parser.ts`,
			denied: ['Bash'],
			input_tokens: 12_345,
			output_tokens: 678,
		});
		const before = readdirSync(store.folder);
		for (const colorTheme of ['Default Dark Modern', 'Default Light Modern']) {
			await withAgent(
				'delegates-restricted',
				async lab => {
					const { workbench, page } = lab;
					await workbench.row('Delegates', /Translate the help/).waitFor();
					const rows = workbench.pane('Delegates').locator('[role=treeitem]');
					const texts = (await rows.allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' '));
					expect(texts.map(text => /(running|queued|parked|failed|done)/.exec(text)?.[0])).toEqual([
						'running',
						'queued',
						'parked',
						'failed',
						'done',
						'done',
					]);
					expect(texts[0]).toMatch(/^Write tests for the par…running · 12 tool calls · Edit src\/parser\.ts/);
					expect(await rows.nth(0).getAttribute('aria-label')).toMatch(
						/^Delegate Write tests for the parser, running · 12 tool calls/,
					);
					await rows.nth(0).hover();
					await page.getByText('Not allowed: Bash').waitFor();
					await lab.screenshot(`delegates-${colorTheme}`);
					await rows.nth(0).click({ button: 'right' });
					await page.locator('.context-view .action-item').first().waitFor();
					const choices = page.locator('.context-view .action-item:not(.disabled) .action-label');
					expect(await choices.allInnerTexts()).toEqual([
						'Show Delegate Output',
						'Open Log',
						'Open Prompt',
						'Copy ID',
					]);
					await page.keyboard.press('Escape');
					expect(readdirSync(store.folder)).toEqual(before);
				},
				{
					workspace: project,
					size: { width: 1500, height: 1800 },
					restricted: true,
					settings: { 'workbench.colorTheme': colorTheme },
				},
			);
		}
	});
});

/** A delegate as its runner would have left it. */
async function seed(
	store: Delegates,
	title: string,
	state: DelegateState,
	{ error, ...status }: Partial<DelegateStatus> & { error?: string },
	group?: string,
): Promise<void> {
	const { record } = await store.create(
		{
			title,
			agent: DriverId.parse('claude-code'),
			permissions: 'default',
			place: { is: 'folder', folder: store.workspace.folder },
			limits: Limits.parse({}),
			task: TaskName.parse('delegates'),
			worker: WorkerName.parse('delegate-1'),
			...(group !== undefined && { group }),
		},
		title,
	);
	const started_at = new Date(Date.now() - 130_000).toISOString();
	const ended_at = new Date().toISOString();
	const isOver = state === 'done' || state === 'failed';
	const times = { ...(state !== 'queued' && { started_at }), ...(isOver && { ended_at, reported: true }) };
	await store.writeStatus(
		record.id,
		DelegateStatus.parse({ task_id: record.id, status: state, ...times, ...status }),
	);
	if (isOver) await store.files(record.id).finish('It is so.', error === undefined ? 'success' : `error: ${error}`);
}
