for (const button of document.querySelectorAll('#demo-users button')) {
  button.addEventListener('click', () => {
    const { username, password } = document.forms['log-in'].elements;
    if (!username.readOnly) username.value = button.value;
    password.value = 'correct horse battery staple';
  });
}
