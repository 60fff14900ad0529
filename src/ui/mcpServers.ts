import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { MCP_PROVIDER, MCP_SETTING } from './contributions.ts';

/**
 * Offers `nancy mcp` to VS Code's own chat, one server for each folder. VS Code starts it, and asks the person before a call. Its caller is a
 * model like any other agent: see mcp/callerOf.ts. Imports as little as late.ts.
 */
export function offerMcpServers({ extension }: vscode.ExtensionContext): vscode.Disposable {
	const changed = new vscode.EventEmitter<void>();
	const version = String(extension.packageJSON.version);
	const { onDidChangeConfiguration, onDidChangeWorkspaceFolders, onDidGrantWorkspaceTrust } = vscode.workspace;
	const reasons: vscode.Event<unknown>[] = [
		onDidChangeConfiguration,
		onDidChangeWorkspaceFolders,
		onDidGrantWorkspaceTrust,
	];
	return vscode.Disposable.from(
		changed,
		...reasons.map(on => on(() => changed.fire())),
		vscode.lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
			onDidChangeMcpServerDefinitions: changed.event,
			provideMcpServerDefinitions: () => mcpServers(extension.extensionPath, version),
		}),
	);
}

/** None in Restricted Mode, nor without the user's setting. Without a `.nancy` the server would have nothing to serve. */
export function mcpServers(extensionPath: string, version: string): vscode.McpStdioServerDefinition[] {
	const isOn = vscode.workspace.getConfiguration().get(MCP_SETTING) === 'on';
	if (!isOn || !vscode.workspace.isTrusted) return [];
	const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) =>
		existsSync(join(uri.fsPath, '.nancy')),
	);
	return folders.map(({ uri, name }) => {
		const label = folders.length === 1 ? 'Nancy' : `Nancy: ${name}`;
		const args = [join(extensionPath, 'dist', 'nancy.js'), 'mcp'];
		// The editor's own Node, without what a user has set for other programs.
		const env = { ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: null };
		const server = new vscode.McpStdioServerDefinition(label, process.execPath, args, env, version);
		server.cwd = uri;
		return server;
	});
}
