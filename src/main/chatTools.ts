import * as vscode from 'vscode';
import { l10n } from 'vscode';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { unknownAgent, type AskingAgent } from '../core/asker/asker.ts';
import * as operations from '../operations/index.ts';
import { perform, type OperationContext } from '../operations/operation.ts';
import { resolveMailbox } from '../operations/shared/addresses.ts';
import type { ChatTool } from '../ui/contributions.ts';
import type { ChatTools } from '../ui/nancy.ts';
import type { Folder } from '../ui/ports.ts';
import { asMarkdown } from '../ui/kit/tooltip.ts';
import { plainLine } from '../ui/kit/plain.ts';
import { requireTrust } from '../ui/trust.ts';

const Text = z.string().check(z.minLength(1));
const InFolder = { folder: z.optional(Text) };

/** What a model may ask for, as package.json describes it to the model. */
const Inputs = {
	nancy_status: z.object({ ...InFolder }),
	nancy_send: z.object({
		...InFolder,
		to: Text,
		text: Text,
		kind: z.optional(z.enum(['directive', 'feedback'])),
	}),
	nancy_delegate: z.object({
		...InFolder,
		prompt: Text,
		title: z.optional(Text),
		agent: z.optional(Text),
		worktree: z.optional(z.boolean()),
	}),
} satisfies Record<ChatTool, z.ZodMiniType>;

interface Collaborators {
	folders: () => readonly Folder[];
	contextOf: (folder: Folder) => OperationContext;
}

/**
 * The tools of VS Code's own chat. A model calls them, so it gets what any agent gets. Its messages name an agent as their author, and it
 * starts others only as the user's settings let agents. VS Code asks the person before a message or a delegate.
 */
export function chatTools({ folders, contextOf }: Collaborators): ChatTools {
	return {
		prepare: (tool, given) => {
			const question = asked(tool, given);
			return question
				? { confirmationMessages: { title: question.title, message: asMarkdown(question.text) } }
				: {};
		},
		invoke: async (tool, given) => {
			requireTrust();
			const { folder: name } = parsed(Inputs[tool], given);
			const folder = chosen(folders(), name);
			const answer = await done(
				tool,
				given,
				unknownAgent(folder.path, 'the tools of the chat are called by a model'),
				contextOf(folder),
			);
			return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(JSON.stringify(answer))]);
		},
	};
}

async function done(tool: ChatTool, given: unknown, asker: AskingAgent, context: OperationContext): Promise<unknown> {
	switch (tool) {
		case 'nancy_status':
			return perform(await operations.status(), asker, { all: false }, context);
		case 'nancy_send': {
			const { to, text, kind } = parsed(Inputs.nancy_send, given);
			const address = await resolveMailbox(context.workspace, asker, to);
			const words = { to: address, text, kind, priority: 'normal', effect: 'none' } as const;
			return perform(await operations.send(), asker, words, context);
		}
		case 'nancy_delegate': {
			const { prompt, title, agent, worktree } = parsed(Inputs.nancy_delegate, given);
			const input = { prompt, title, agent, ...(worktree && { worktree: { withChanges: false } }) };
			return perform(await operations.delegate(), asker, input, context);
		}
	}
}

/** What VS Code shows before it calls a tool: all that will be sent. A look needs no Yes. */
function asked(tool: ChatTool, given: unknown): { title: string; text: string } | undefined {
	switch (tool) {
		case 'nancy_status':
			return undefined;
		case 'nancy_send': {
			const { to, text, kind, folder } = parsed(Inputs.nancy_send, given);
			const readAt = { directive: l10n.t('read at the next tool call'), feedback: l10n.t('read when it stops') };
			return {
				title: l10n.t('Send a message to {0}', plainLine(to)),
				text: withDetails(text, [kind && readAt[kind], folder]),
			};
		}
		case 'nancy_delegate': {
			const { prompt, title: name, agent, worktree, folder } = parsed(Inputs.nancy_delegate, given);
			const title =
				agent === undefined ? l10n.t('Start a delegate') : l10n.t('Start a delegate of {0}', plainLine(agent));
			const place = worktree === true ? l10n.t('A worktree of its own') : undefined;
			return { title, text: withDetails(prompt, [name, place, folder]) };
		}
	}
}

/** What is called for beside a text, below it. */
function withDetails(text: string, details: readonly (string | undefined)[]): string {
	const line = details.flatMap(each => (each === undefined ? [] : plainLine(each))).join(' · ');
	return line === ''
		? text
		: `${text}

${line}`;
}

function parsed<S extends z.ZodMiniType>(schema: S, given: unknown): z.infer<S> {
	const result = schema.safeParse(given);
	if (result.success) return result.data;
	const [issue] = result.error.issues;
	throw new NancyError(
		'bad-usage',
		l10n.t('{0} cannot take this: {1}', issue?.path.join('.') ?? '', issue?.message ?? ''),
	);
}

function chosen(folders: readonly Folder[], name: string | undefined): Folder {
	const named = name === undefined ? folders : folders.filter(each => each.name === name || each.path === name);
	const [folder, second] = named;
	if (folder && !second) return folder;
	const names = folders.map(each => each.name).join(', ');
	throw new NancyError('bad-usage', l10n.t('Name one of the folders of this window as "folder": {0}', names));
}
