import type { Workspace } from '../../src/core/workspace/workspace.ts';
import type { Folder } from '../../src/ui/ports.ts';

const unused = () => {
	throw new Error('starting looks at no view');
};

/** A folder of the window for what starts delegates: whoever looks at a view of it fails. */
export function unusedFolder(workspace: Workspace): Folder {
	return {
		name: 'project',
		path: workspace.folder,
		workspace,
		onDidChange: unused,
		onDidNeedAttention: unused,
		overview: unused,
		messages: unused,
		delegates: unused,
		sessions: unused,
		eventDetail: unused,
		questions: () => [],
		pastQuestions: () => [],
		question: unused,
		refresh: () => Promise.resolve(),
		dispose: unused,
	};
}
