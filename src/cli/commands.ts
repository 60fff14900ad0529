import type { Commands } from './command.ts';

/** Every command by its name, in the order of `nancy --help`. */
export const commands: Commands = {
	orchestrate: async () => (await import('./commands/orchestrate.ts')).orchestrate,
	status: async () => (await import('./commands/status.ts')).status,
	send: async () => (await import('./commands/send.ts')).send,
	inbox: async () => (await import('./commands/inbox.ts')).inbox,
	questions: async () => (await import('./commands/questions.ts')).questions,
	answer: async () => (await import('./commands/answer.ts')).answerQuestion,
	archive: async () => (await import('./commands/archive.ts')).archive,
	withdraw: async () => (await import('./commands/withdraw.ts')).withdraw,
	wait: async () => (await import('./commands/wait.ts')).wait,
	stop: async () => (await import('./commands/stop.ts')).stop,
	delete: async () => (await import('./commands/delete.ts')).deleteTasks,
	delegate: async () => (await import('./commands/delegate.ts')).delegate,
	delegates: async () => (await import('./commands/delegates.ts')).delegates,
	run: async () => (await import('./commands/run.ts')).run,
	traffic: async () => (await import('./commands/traffic.ts')).traffic,
	tokens: async () => (await import('./commands/tokens.ts')).tokens,
	sessions: async () => (await import('./commands/sessions.ts')).sessions,
	mcp: async () => (await import('./commands/mcp.ts')).mcp,
	setup: async () => (await import('./commands/setup.ts')).setup,
	update: async () => (await import('./commands/setup.ts')).update,
	cleanup: async () => (await import('./commands/cleanup.ts')).cleanup,
	doctor: async () => (await import('./commands/doctor.ts')).doctor,
};
