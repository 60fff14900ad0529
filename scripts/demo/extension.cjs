// The window of `npm start` begins where a new user would look for Nancy. This is no part of Nancy: she opens nothing unasked.
const vscode = require('vscode');

const SHOWN = 'shown';

exports.activate = async ({ globalState }) => {
	if (globalState.get(SHOWN)) return;
	await vscode.commands.executeCommand('nancy.tasks.focus');
	await vscode.commands.executeCommand('nancy.openWalkthrough');
	await globalState.update(SHOWN, true);
};
