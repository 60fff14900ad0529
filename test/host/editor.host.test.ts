import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the editor', () => {
	it('is at least the version that the manifest asks for', () => {
		const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
		assert.ok(major > 1 || minor >= 110, vscode.version);
	});

	it('knows the extension under development', () => {
		assert.equal(vscode.extensions.getExtension('nancy.nancy')?.packageJSON.name, 'nancy');
	});
});
